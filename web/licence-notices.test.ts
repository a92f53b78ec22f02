import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../test/support/processes.ts';

test('the built app comes with the licences of the libraries in it', () => {
  const text = readFileSync(join(root, 'dist/web/assets/notices.txt'), 'utf8');
  const names = text.match(/^\S+ \d+\.\d+\.\d+\S*$/gm)?.map((line) => line.split(' ')[0]);
  expect(names).toEqual(
    expect.arrayContaining([
      'react',
      'react-dom',
      'marked',
      'highlight.js',
      'lucide-react',
      'cmdk',
      '@radix-ui/react-dialog',
      '@tanstack/react-query',
      'tailwindcss',
    ]),
  );
  for (const part of ['Permission is hereby granted', 'Redistribution and use', 'Ivan Sagalaev']) {
    expect(text).toContain(part);
  }
  // Build and test tools are not included.
  for (const other of ['vitest', 'typescript', 'playwright-core', '@anthropic-ai/claude-code']) {
    expect(names).not.toContain(other);
  }
});
