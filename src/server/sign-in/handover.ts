import { createHash } from 'node:crypto';
import { PAGE_KEY_NAME, PAGE_USER_NAME } from '../../contract/page-key.ts';
import { Html, html } from '../docs-page/html.ts';
import { page } from './sign-in-page.ts';
import { type Language, WORDS } from './texts.ts';

/*
 * The response to a sign-in. The response gives the page key only to pages from this origin. It is
 * sent only in return for a code or a token, so nobody can get a key with just the cookie. Other
 * origins cannot read it, and the key is in no URL, no cookie and no cache.
 */

/**
 * The user id is stored before the key, so that tabs of another user know that the key is not for
 * them. If storage is full or blocked, the app has no key and says so.
 */
const SCRIPT = `const { pageKey, userId, next } = document.querySelector('main p').dataset;
try {
  localStorage.setItem('${PAGE_USER_NAME}', userId);
  localStorage.setItem('${PAGE_KEY_NAME}', pageKey);
} catch {}
location.replace(next);`;

/**
 * The script is inline, because other tabs already have the new cookie and are waiting for the key.
 */
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
    // The API documentation can be read without scripts.
    html`<noscript><meta http-equiv="refresh" content="0; url=${next}"></noscript>`,
  );
}
