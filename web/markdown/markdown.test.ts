import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { language, loadTexts } from '../texts/language.ts';
import { Markdown } from './markdown.tsx';

const shown = (text: string, live = false): string =>
  renderToStaticMarkup(createElement(Markdown, { text, live }));

test('[C2] entities are decoded in prose, and left as written in code', async () => {
  await loadTexts(language.get());
  expect(shown('a &lt; b')).toContain('>a &lt; b<');
  expect(shown('write `&lt;` in HTML')).toContain('>&amp;lt;</code>');
  expect(shown('```\n&lt;\n```')).toContain('&amp;lt;');
});

test.each([false, true])('[X4] HTML is shown as text (live: %s)', (live) => {
  const html = shown('<img src=x onerror=alert(1)>\n\na <b onclick="x">b</b>', live);
  expect(html).not.toMatch(/<(img|b)\b/);
  expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;');
});

test('[X4] a link to a script or an image is not followed', () => {
  expect(shown('[a](javascript:alert(1))')).not.toContain('href');
  const image = shown('![a](https://example.com/a.png)');
  expect(image).toContain('<a href="https://example.com/a.png"');
  expect(image).not.toContain('<img');
});
