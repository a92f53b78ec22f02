import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OwnFiles } from '../../../src/policy/tools/own-files.ts';
import { judgeCall } from '../../../src/sessions/rules/judge-call.ts';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import type { Case } from '../../benches.ts';
import { median, now, percentile } from '../../measure.ts';

const SAMPLES_PER_ROUND = 2000;
const WARM_UP = 200;
/** The promised limit, in milliseconds. */
const MOST_MS = 1;
const NONE = { allow: [], ask: [], deny: [] };

/** Calls as an agent makes them; `away` is a link that leads out of the workspace. */
const CALLS = [
  { tool: 'Read', input: { file_path: 'src/server/routes/index.ts' } },
  { tool: 'Write', input: { file_path: 'src/new/file.ts', content: 'x'.repeat(4000) } },
  { tool: 'Edit', input: { file_path: 'away/file.ts', old_string: 'a', new_string: 'b' } },
  { tool: 'Grep', input: { pattern: 'login', path: 'src' } },
  { tool: 'Bash', input: { command: 'npm test' } },
  { tool: 'Bash', input: { command: 'cat src/server/routes/index.ts package.json' } },
  { tool: 'Bash', input: { command: 'git diff --stat HEAD -- src/server test' } },
];

/** One decision about a tool call, following its paths in a real directory. */
export const realPaths: Case = async ({ resources, rounds, report }) => {
  const home = realpathSync(resources.directory());
  const [work, data, outside] = [join(home, 'work'), join(home, '.baton'), join(home, 'outside')];
  for (const folder of [data, outside, join(work, '.git'), join(work, 'src/server/routes')])
    mkdirSync(folder, { recursive: true });
  for (const file of ['package.json', 'src/server/routes/index.ts'])
    writeFileSync(join(work, file), '{}');
  symlinkSync(outside, join(work, 'away'));
  const own = new OwnFiles({ paths: [data], except: [join(data, 'workspaces')] });
  const runtime = testRuntime(work, { dataDir: data });
  const deny = ['Read(**/.env)', 'Read(~/.ssh/**)', 'Bash(git push)', 'Bash(curl)'];
  const rules = { session: { ...NONE, deny }, channels: {}, global: null };

  const times: number[] = [];
  for (let i = -WARM_UP; i < SAMPLES_PER_ROUND * rounds; i++) {
    const call = CALLS[(i + WARM_UP) % CALLS.length]!;
    const begun = now();
    await judgeCall(call, runtime, { sent: { channel: 'web' } }, rules, own);
    if (i >= 0) times.push(now() - begun);
  }
  report({ metric: `decision, p50 (at most ${MOST_MS})`, value: median(times), unit: 'ms' });
  report({ metric: 'decision, p95', value: percentile(times, 0.95), unit: 'ms' });
};
