import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root, temporaryDirectory } from './processes.ts';

/** The files whose import the linter reports as restricted. */
function lint(files: Record<string, string>): string[] {
  const place = temporaryDirectory();
  copyFileSync(join(root, 'biome.json'), join(place, 'biome.json'));
  for (const [file, imported] of Object.entries(files)) {
    mkdirSync(dirname(join(place, file)), { recursive: true });
    writeFileSync(join(place, file), `import '${imported}';\n`);
  }
  const biome = join(root, 'node_modules', '.bin', 'biome');
  const args = [
    'lint',
    '--only=style/noRestrictedImports',
    '--vcs-enabled=false',
    '--reporter=json',
  ];
  const { stdout } = spawnSync(biome, [...args, '.'], { cwd: place, encoding: 'utf8' });
  const report = JSON.parse(stdout) as {
    diagnostics: { category: string; location: { path: string } }[];
  };
  return report.diagnostics
    .filter(({ category }) => category === 'lint/style/noRestrictedImports')
    .map(({ location }) => location.path)
    .toSorted();
}

test('an import against the direction of the architecture is reported', () => {
  const forbidden = {
    'src/contract/run.ts': '../policy/retry.ts',
    'src/contract/event.ts': 'node:fs',
    'src/policy/retry.ts': '../queue/worker.ts',
    'src/queue/worker.ts': '../sessions/commands.ts',
    'src/queue/memory/queue.ts': '../../storage/open.ts',
    'src/storage/sqlite/open.ts': '../../sessions/commands.ts',
    'src/agents/driver.ts': '../sessions/recorder.ts',
    'src/sessions/commands.ts': '../server/app.ts',
    'src/server/app.ts': '../main.ts',
    'src/client/client.ts': '../queue/worker.ts',
    'src/cli/ls.ts': '../storage/open.ts',
    'src/library.ts': './server/app.ts',
    'web/main.tsx': '../src/main.ts',
    'web/shell/shell.tsx': '../../src/policy/masking.ts',
    'web/parts/chart.ts': 'node:fs',
  };
  expect(lint(forbidden)).toEqual(Object.keys(forbidden).toSorted());
});

test('imports along the direction, and those of tests, are not', () => {
  const allowed = {
    'src/contract/run.ts': './ids.ts',
    'src/contract/event.ts': 'zod',
    'src/policy/retry.ts': '../contract/run.ts',
    'src/queue/worker.ts': '../policy/retry.ts',
    'src/storage/sqlite/open.ts': '../../queue/port.ts',
    'src/storage/sqlite/lanes.ts': '../operations/claim.ts',
    'src/server/app.ts': '../sessions/commands.ts',
    'src/cli/serve.ts': '../main.ts',
    'src/library.ts': './storage/open.ts',
    'web/main.tsx': '../src/contract/run.ts',
    'web/api/client.ts': '../../src/client/client.ts',
    'web/shell/shell.tsx': '../parts/button.tsx',
    'web/parts/chart.test.ts': '../../src/policy/masking.ts',
    'src/policy/retry.test.ts': '../queue/worker.ts',
    'src/queue/queue.contract.ts': '../storage/open.ts',
  };
  expect(lint(allowed)).toEqual([]);
});
