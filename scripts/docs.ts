// Writes the pages of docs/ that are generated from code; with --check it only reports whether they
// are up to date. `npm run docs`, `npm run docs:check`.
import { readFileSync, writeFileSync } from 'node:fs';
import { ERRORS } from '../src/contract/errors.ts';
import { ErrorClass } from '../src/contract/outcome.ts';
import { verdictOf } from '../src/policy/retry.ts';
import { diagram } from '../src/queue/machine/transition.ts';
import { sessionDiagram } from '../src/sessions/session-machine.ts';
import { withOperations } from './api-table.ts';
import { withPolicyTables } from './policy-table.ts';

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

A failed run is not an API error: its outcome is a value, and the class of that value decides what happens next.

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
attempt (\`retry_scheduled\`), and when it is queued again because its node died or handed it back.
\`succeeded\`, \`failed\`, \`cancelled\` and \`dead\` are final; the database refuses to change them. A manual retry is
a new run.

Each change of state is one transaction that also appends its event to the lane's log.

# States of a session

\`\`\`mermaid
${sessionDiagram()}\`\`\`

- \`PENDING\`: the workspace is being prepared.
- \`ACTIVE\`: ready, and either someone is connected, a run is unfinished, or it became ready less than 60 s ago.
- \`IDLE\`: ready, and none of these applies. It is terminated at a set time, unless its timer is 0. If the timer is
  changed, the new time is measured from when the session became idle.
- \`ERROR\`: the session records the reason.
- \`COMPLETED\` and \`TERMINATED\` keep their history; reopening prepares the workspace again.

A session with unfinished runs can be terminated, which cancels them, but not completed or archived. Archiving
is not a state: a message or reopening undoes it. No request sets a status directly. Each change is one transaction that
also appends \`session.status\` with \`from\`, \`to\` and \`reason\` to the session's log, and the server logs it as
\`Session status changed\`. \`workspace.status\` is also logged when a workspace is available (\`running\`) or could not be
prepared (\`failed\`).

\`ACTIVE\` does not mean that an agent is working: opening a session makes it \`ACTIVE\`, but changes neither \`lastActiveAt\`
nor its position in lists. The web app shows \`Ready\` unless a run is under way.

The reason \`orphan\` ("workspace gone") is reserved: no node compares directories with sessions yet. If the
directory that Baton created for a session has disappeared, the next run gets an empty one.
`;

function fate(name: ErrorClass): string {
  if (name === 'poisoned') return 'the run is `dead`: its node died three times during the run';
  const verdict = verdictOf(name);
  if (verdict === 'retry')
    return 'retried after increasing delays until its attempts are used up (`dead`)';
  if (verdict === 'park') return 'parked until the announced time, without counting an attempt';
  return 'not retried (`failed`)';
}

const page = (name: string): string =>
  readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');

const pages = {
  'api.md': withOperations(page('api.md')),
  'errors.md': errors,
  'policy.md': withPolicyTables(page('policy.md')),
  'states.md': states,
};
const check = process.argv.includes('--check');
for (const [name, text] of Object.entries(pages)) {
  const file = new URL(`../docs/${name}`, import.meta.url);
  if (!check) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(`docs/${name} is not up to date: run "npm run docs" and commit it.\n`);
    process.exitCode = 1;
  }
}
