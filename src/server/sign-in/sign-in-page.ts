import { Html, html } from '../docs-page/html.ts';
import { type Failure, type Language, WORDS } from './texts.ts';

/** Only files from this server, nothing inline, and forms only to this server. */
const PAGE_CSP = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  // Allows the empty icon; without it, browsers request an icon that does not exist.
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_CSP,
  // With `no-referrer`, browsers send `Origin: null` with forms, even to our own origin.
  'referrer-policy': 'same-origin',
};

export interface SignInView {
  readonly language: Language;
  /** The code in the link. */
  readonly code: string | null;
  /** The person opened the link themselves, so the form is sent without a click. */
  readonly byItself: boolean;
  /** Where to go after signing in. */
  readonly next: string;
  readonly failure: Failure | null;
}

export function signInPage({ language, code, byItself, next, failure }: SignInView): string {
  const words = WORDS[language];
  const token = tokenForm({ language, next, failure });
  const failed =
    failure === null
      ? null
      : html`<p class="bad" role="alert" id="bad">${words.failures[failure]}</p>`;
  const body =
    code === null
      ? html`${failed}<p class="soft">${words.byToken}</p>${token}`
      : html`${failed}<p class="soft">${words.byCode}</p>
<form method="post" action="/sign-in"${byItself ? new Html(' data-by-itself') : null}>
<input type="hidden" name="code" value="${code}"><input type="hidden" name="next" value="${next}">
<button data-busy="${words.signingIn}" autofocus>${words.signIn}</button>
</form>
<details><summary>${words.orToken}</summary>${token}</details>`;
  return page(language, words.title, html`<h1>${words.title}</h1>${body}`);
}

function tokenForm({
  language,
  next,
  failure,
}: Pick<SignInView, 'language' | 'next' | 'failure'>): Html {
  const words = WORDS[language];
  const bad = failure === 'token' || failure === 'input';
  return html`<form method="post" action="/sign-in">
<label for="token">${words.token}</label>
<input id="token" name="token" type="password" required maxlength="512" autocomplete="off" autocapitalize="off" spellcheck="false"${bad ? new Html(' aria-invalid="true" aria-describedby="bad" autofocus') : null}>
<input type="hidden" name="next" value="${next}">
<button data-busy="${words.signingIn}">${words.signIn}</button>
</form>`;
}

/**
 * The script is not deferred, because a click before it ran would leave the code in the history.
 */
const FILES = html`<script src="/sign-in/script.js"></script>
<link rel="stylesheet" href="/sign-in/style.css">`;

/** A document, by default with the style and script in this folder. */
export function page(language: Language, title: string, main: Html, head = FILES): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="data:,">
${head}
</head>
<body><main>${main}</main></body>
</html>
`.text;
}
