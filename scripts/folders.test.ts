import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../test/support/processes.ts';
import { folderProblems } from './folders.ts';

/** The problems of a project whose files each import one thing. */
function problemsOf(files: Record<string, string>): string[] {
  const root = temporaryDirectory();
  for (const folder of ['src', 'web']) mkdirSync(join(root, folder));
  for (const [file, imported] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), `import type {\n  Some,\n} from '${imported}';\n`);
  }
  return folderProblems(root);
}

test('an import against the direction of the architecture is reported', () => {
  const forbidden = {
    'src/contract/run.ts': '../policy/retry.ts',
    'src/contract/event.ts': 'node:fs',
    'src/config/settings.ts': '../cli/input/args.ts',
    'src/policy/retry.ts': '../queue/worker/worker.ts',
    'src/queue/worker/worker.ts': '../../sessions/session-service.ts',
    'src/storage/sqlite/store.ts': '../../sessions/session-service.ts',
    'src/storage/statement.ts': '../access/store-authenticator.ts',
    'src/agents/driver.ts': '../sessions/turn/recorder.ts',
    'src/sessions/turn/agent-turn.ts': '../../server/app.ts',
    'src/server/app.ts': '../node/main.ts',
    'src/client/client.ts': '../queue/worker/worker.ts',
    'src/cli/sessions/ls.ts': '../../storage/sqlite/store.ts',
    'src/library.ts': './server/app.ts',
    'web/main.tsx': '../src/node/main.ts',
    'web/shell/shell.tsx': '../../src/policy/masking.ts',
    'web/parts/chart.ts': 'node:fs',
  };
  const reported = problemsOf(forbidden).map((problem) => problem.split(' ')[0]);
  expect(reported).toEqual(Object.keys(forbidden).toSorted());
});

test.each(['agents', 'sessions'])('[W1] src/%s acts only through a runtime', (folder) => {
  const file = `src/${folder}/claude/driver.ts`;
  for (const name of ['node:fs', 'node:fs/promises', 'node:child_process', 'node:os', 'fs', 'os']) {
    expect(problemsOf({ [file]: name })).toEqual([
      `${file} imports ${name}: src/${folder} acts through a runtime (src/workspaces/runtime.ts)`,
    ]);
  }
  expect(problemsOf({ [file]: '../../workspaces/local/runtime.ts' })).toHaveLength(1);
  expect(problemsOf({ [file]: '../../workspaces/runtime.ts' })).toEqual([]);
  expect(problemsOf({ [`src/${folder}/claude/driver.test.ts`]: 'node:fs' })).toEqual([]);
});

test('imports along the direction, and those of tests and conformance suites, are not', () => {
  const allowed = {
    'src/contract/run.ts': './ids.ts',
    'src/contract/event.ts': 'zod',
    'src/policy/retry.ts': '../contract/run.ts',
    'src/queue/worker/worker.ts': '../../policy/retry.ts',
    'src/storage/sqlite/store.ts': '../../sessions/approvals/approval-store.ts',
    'src/storage/sqlite/lanes.ts': '../operations/claim.ts',
    'src/storage/operations/hosts.ts': '../../sessions/host-store.ts',
    'src/storage/operations/drafts.ts': '../../sessions/messages/message-draft-store.ts',
    'src/server/app.ts': '../sessions/session-service.ts',
    'src/cli/admin/user.ts': '../sessions/find-session.ts',
    'src/cli/node/serve.ts': '../../node/main.ts',
    'src/library.ts': './storage/sqlite/store.ts',
    'web/main.tsx': '../src/contract/run.ts',
    'web/api/client.ts': '../../src/client/client.ts',
    'web/shell/shell.tsx': '../parts/button.tsx',
    'web/parts/chart.test.ts': '../../src/policy/masking.ts',
    'src/policy/retry.test.ts': '../queue/worker/worker.ts',
    'src/queue/conformance/store.ts': '../../storage/sqlite/store.ts',
  };
  expect(problemsOf(allowed)).toEqual([]);
});

test('folders that import each other are reported, also through others', () => {
  expect(
    problemsOf({
      'web/api/client.ts': '../parts/store.ts',
      'web/parts/store.ts': '../texts/texts.ts',
      'web/texts/texts.ts': '../api/client.ts',
      'web/shell/shell.tsx': '../parts/button.tsx',
    }),
  ).toEqual([
    'web/api imports web/parts, which imports it back: web/api/client.ts',
    'web/parts imports web/texts, which imports it back: web/parts/store.ts',
    'web/texts imports web/api, which imports it back: web/texts/texts.ts',
  ]);
});

test('a folder of more than 40 files is reported', () => {
  const files = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`web/parts/part-${index}.ts`, 'react']),
    );
  expect(problemsOf(files(40))).toEqual([]);
  expect(problemsOf(files(41))).toEqual(['web/parts has 41 files; more than 40 need sub-folders']);
});
