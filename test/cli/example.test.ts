import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, start, temporaryDirectory } from '../support/processes.ts';

/** A project in which `baton/queue` is this source, as it would be after installing the package. */
function project(): string {
  const directory = temporaryDirectory();
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, 'baton'), { recursive: true });
  symlinkSync(join(root, 'src'), join(modules, 'baton', 'src'));
  const exports = { './queue': './src/library.ts' };
  const manifest = { name: 'baton', type: 'module', exports };
  writeFileSync(join(modules, 'baton', 'package.json'), JSON.stringify(manifest));
  for (const name of ['zod', '@types']) {
    symlinkSync(join(root, 'node_modules', name), join(modules, name));
  }
  const options = { extends: join(root, 'tsconfig.json'), include: ['*.ts'] };
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(options));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  copyFileSync(join(root, 'docs', 'examples', 'queue.ts'), join(directory, 'queue.ts'));
  return directory;
}

test('[Q18] the example in the docs uses the queue as a library, and exits on its own', async () => {
  const example = start(process.execPath, ['queue.ts'], { cwd: project() });
  expect(await example.exit).toEqual({ code: 0, signal: null });
  expect(example.stderr()).toBe('');
  const lines = example.stdout().trimEnd().split('\n');
  const events = lines.filter((line) => /^\d/.test(line)).map((line) => line.split(' ')[1]);
  expect(events.filter((type) => type === 'done')).toHaveLength(2);
  expect(events.filter((type) => type === 'run.retry_scheduled')).toHaveLength(1);
  expect(lines.filter((line) => line.startsWith('To sales'))).toEqual([
    'To sales: first',
    'To sales: second',
  ]);
  expect(lines).toContain('To support: in between');
});

test('[Q18] the example in the docs type-checks', async () => {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const check = start(process.execPath, [tsc, '--noEmit', '-p', '.'], { cwd: project() });
  const { code } = await check.exit;
  expect(check.stdout()).toBe('');
  expect(code).toBe(0);
});
