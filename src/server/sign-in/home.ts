import { may, type Principal } from '../../access/principal.ts';
import type { Role } from '../../contract/access.ts';
import { html } from '../docs-page/html.ts';
import { page } from './page.ts';
import { type Language, WORDS } from './words.ts';

/** What a signed-in browser sees at `/`. */
export function homePage(language: Language, name: string, by: Principal): string {
  const words = WORDS[language];
  return page(
    language,
    'Baton',
    html`<h1>Baton</h1>
<dl><dt>${words.signedInAs}</dt><dd>${name}</dd><dd>${words.roles[actsAs(by)]}</dd></dl>
<p><a href="/docs">${words.docs}</a></p>
<form method="post" action="/sign-out"><button class="plain">${words.signOut}</button></form>`,
  );
}

/** A sign-in with a token may do less than its user's role. */
const actsAs = (by: Principal): Role =>
  may(by, 'admin') ? 'admin' : may(by, 'run') ? 'operator' : 'viewer';
