import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { language, loadTexts } from '../../texts/language.ts';
import { Bubble } from './bubble.tsx';

test('[X4] a command is shown with its hidden and reversing characters spelled out', async () => {
  await loadTexts(language.get());
  const shown = (text: string, mono: boolean): string =>
    renderToStaticMarkup(createElement(Bubble, { text, mono }));
  const text = 'ls \u202emoc\u200b';
  expect(shown(text, true)).toContain('ls \\u{202e}moc\\u{200b}');
  expect(shown(text, false)).toContain(text);
});
