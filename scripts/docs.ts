// Writes the pages of docs/ that are generated from code; with --check it only reports whether they
// are up to date. `npm run docs`, `npm run docs:check`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ERRORS } from '../src/contract/errors.ts';
import { ErrorClass } from '../src/contract/outcome.ts';
import { verdictOf } from '../src/policy/retry.ts';
import { diagram } from '../src/queue/machine/transition.ts';
import { sessionDiagram } from '../src/sessions/session-machine.ts';
import { withOperations } from './api-table.ts';
import { withCommands } from './command-table.ts';
import { withPolicyTables } from './policy-table.ts';
import { byNumber, problemsOf } from './proofs/check.ts';
import { readCitingTests } from './proofs/citations.ts';
import { GAPS } from './proofs/gaps.ts';
import { proofsPage } from './proofs/proofs-page.ts';
import { REQUIREMENTS } from './proofs/requirements.ts';
import { RULES } from './proofs/rules.ts';
import { sourcesPage } from './proofs/sources-page.ts';

const NOTE = '<!-- Made by `npm run docs`; change the code, not this page. -->';

const errors = `${NOTE}
# Errors

Every error has a stable code. Over HTTP it has the status below and comes in the envelope
\`{"error":{"code","message","status","details?"},"meta":{"timestamp","requestId"}}\`; in the library it
is a \`BatonError\` with the same \`code\`. An error means that nothing was changed.

| code | status | meaning |
|---|---|---|
${Object.entries(ERRORS)
  .map(([code, [status, meaning]]) => `| \`${code}\` | ${status} | ${meaning} |`)
  .join('\n')}

# Classes of failed runs

A failed run is not an API error. Its outcome has a class, which decides what happens next.

| class | what happens |
|---|---|
${ErrorClass.options.map((name) => `| \`${name}\` | ${fate(name)} |`).join('\n')}
`;

const states = `${NOTE}
# States of a run

\`\`\`mermaid
${diagram()}\`\`\`

A run that has not begun can be edited, moved and removed. A run that has begun stays at the head of its lane
until it ends: while it executes, while its question is open (\`waiting\`), while it waits for its next
attempt (\`retry_scheduled\`), and after it has been queued again because its node died or handed it
back. \`succeeded\`, \`failed\`, \`cancelled\` and \`dead\` are final; the database refuses to change them. A manual retry
is a new run.

Each change of state is one transaction that also appends its event to the lane's log.

# States of a session

\`\`\`mermaid
${sessionDiagram()}\`\`\`

- \`PENDING\`: the workspace is being prepared.
- \`ACTIVE\`: ready, and either someone is connected, a run is unfinished, or it became ready less than 60 s ago.
- \`IDLE\`: ready for at least 60 s, with nobody connected and no unfinished run. The session is terminated when its timer
  expires, unless the timer is 0. If the timer is changed, the new time is still measured from when the session became idle.
- \`ERROR\`: the session records the reason.
- \`COMPLETED\` and \`TERMINATED\` keep their history; reopening prepares the workspace again.

A session with unfinished runs can be terminated, which cancels them, but not completed or archived. Being archived
is not a state: sending a message or reopening the session undoes it. No request sets a status directly. Each change
is one transaction that also appends \`session.status\` with \`from\`, \`to\` and \`reason\` to the session's log, and the
server logs it as \`Session status changed\`. \`workspace.status\` is also logged when a workspace is available
(\`running\`) or could not be prepared (\`failed\`).

\`ACTIVE\` does not mean that an agent is working: opening a session makes it \`ACTIVE\`, but changes neither \`lastActiveAt\`
nor its position in lists. The web app shows \`Ready\` unless a run is under way.

The reason \`orphan\` ("workspace gone") is reserved: no node compares directories with sessions yet. If the
directory that Baton created for a session has disappeared, the next run gets an empty one.
`;

function fate(name: ErrorClass): string {
  if (name === 'poisoned')
    return 'the run is `dead`: a node died while executing it, for the third time';
  const verdict = verdictOf(name);
  if (verdict === 'retry')
    return 'retried after increasing delays; `dead` once its attempts are used up';
  if (verdict === 'park') return 'parked until the announced reset time; no attempt is counted';
  return 'not retried (`failed`)';
}

const page = (name: string): string =>
  readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');

const tables = { rules: RULES, requirements: REQUIREMENTS, gaps: GAPS };
const tests = readCitingTests(fileURLToPath(new URL('..', import.meta.url)));
const proofs = byNumber(tests);

const pages = {
  'api.md': withOperations(page('api.md')),
  'cli.md': withCommands(page('cli.md')),
  'errors.md': errors,
  'policy.md': withPolicyTables(page('policy.md')),
  'proofs.md': `${NOTE}\n${proofsPage(tables, proofs)}`,
  'sources.md': `${NOTE}\n${sourcesPage(tables, proofs)}`,
  'states.md': states,
};
const check = process.argv.includes('--check');
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(`../docs/${name}`, import.meta.url);
  if (!check) {
    writeFileSync(file, text);
  } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`docs/${name} is not up to date: run "npm run docs" and commit it.\n`);
    process.exitCode = 1;
  }
}
for (const problem of problemsOf(tests, tables)) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
