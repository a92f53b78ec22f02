import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { language as chosen, loadTexts } from '../texts/language.ts';
import { Code } from './code.tsx';

test('[X4] code is shown with its hidden and reversing characters spelled out', async () => {
  await loadTexts(chosen.get());
  const shown = (code: string, language: string | null): string | undefined =>
    /<code>(.*)<\/code>/s.exec(renderToStaticMarkup(createElement(Code, { code, language })))?.[1];
  expect(shown('ls \u202emoc\u200b\u3000x', 'bash')).toBe('ls \\u{202e}moc\\u{200b}\\u{3000}x');
  expect(shown('a\u202eb', null)).toBe('a\\u{202e}b');
  // Comments and texts in other code stay readable.
  expect(shown('// ✔\ufe0f 完了\u3000次へ', 'typescript')).toBe('// ✔\ufe0f 完了\u3000次へ');
});
