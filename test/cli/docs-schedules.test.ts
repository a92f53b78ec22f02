import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root, temporaryDirectory } from '../support/processes.ts';

test('the snippets of docs/schedules.md form a program that runs', async () => {
  const page = readFileSync(join(root, 'docs', 'schedules.md'), 'utf8');
  const snippets = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code);
  expect(snippets.length).toBe((page.match(/```/g)?.length ?? 0) / 2);
  const library = join(root, 'src', 'library.ts');
  const program = snippets.join('\n').replace(`'baton/queue'`, JSON.stringify(library));
  const file = join(temporaryDirectory(), 'schedules.ts');
  writeFileSync(file, program);
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
  expect(stderr.replace(/.*ExperimentalWarning.*\n.*\n/g, '')).toBe('');
  expect(JSON.parse(stdout.replaceAll(`'`, '"'))).toHaveLength(3);
});
