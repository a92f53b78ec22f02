import { createHash } from 'node:crypto';
import { PAGE_KEY_NAME, PAGE_USER_NAME } from '../../contract/page-key.ts';
import { Html, html } from '../docs-page/html.ts';
import { page } from './page.ts';
import { type Language, WORDS } from './words.ts';

/*
 * The answer to a sign-in: it hands the page key to a page of this origin, and to nobody else. It
 * comes only for a code or a token, so that the cookie gets nobody another one; other origins cannot
 * read it, and it is in no address, no cookie and no cache.
 */

/**
 * Whose the key is comes first: tabs of somebody else then know that it is not for them. Without room
 * in the storage the app says so: it has no key then.
 */
const SCRIPT = `const { pageKey, userId, next } = document.querySelector('main p').dataset;
try {
  localStorage.setItem('${PAGE_USER_NAME}', userId);
  localStorage.setItem('${PAGE_KEY_NAME}', pageKey);
} catch {}
location.replace(next);`;

/** Inside the page: other tabs have the new cookie already, and wait for the key. */
const CSP = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const HANDOVER_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': CSP,
};

export interface Handover {
  readonly pageKey: string;
  readonly userId: string;
  readonly next: string;
}

export function handoverPage(language: Language, { pageKey, userId, next }: Handover): string {
  const { signingIn } = WORDS[language];
  return page(
    language,
    signingIn,
    html`<p data-page-key="${pageKey}" data-user-id="${userId}" data-next="${next}">${signingIn}</p>
${new Html(`<script>${SCRIPT}</script>`)}`,
    // The description of the API can be read without scripts.
    html`<noscript><meta http-equiv="refresh" content="0; url=${next}"></noscript>`,
  );
}
