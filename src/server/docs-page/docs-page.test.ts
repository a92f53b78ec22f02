import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { appRig } from '../../../test/support/app-rig.ts';
import { endpointList } from '../../contract/api/endpoints.ts';
import { html } from './html.ts';

test('[H7] /docs shows every operation, and its links have targets', async () => {
  const { body, headers } = await appRig().get('/docs');
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const ids = new Set([...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
  for (const [name] of endpointList) expect(ids).toContain(name);
  const links = [...body.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
  expect(links.filter((id) => !ids.has(id))).toEqual([]);
});

test('[X4] /docs has no script, and its CSP allows nothing but its own style', async () => {
  const { body, headers } = await appRig().get('/docs');
  const style = /<style>([\s\S]*?)<\/style>/.exec(body)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(body).not.toMatch(/<script|<img|<link|style="|\son\w+=|javascript:/i);
});

test('values are escaped, except HTML', () => {
  const inner = html`<b>${'<i>"&\''}</b>`;
  expect(html`${[inner, 1]}${null}`.text).toBe('<b>&lt;i&gt;&quot;&amp;&#39;</b>1');
});
