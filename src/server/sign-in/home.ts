import type { Role } from '../../contract/access.ts';
import { html } from '../docs-page/html.ts';
import { page } from './page.ts';
import { type Language, WORDS } from './words.ts';

/** What a signed-in browser sees at `/`. */
export function homePage(language: Language, user: { name: string; role: Role }): string {
  const words = WORDS[language];
  return page(
    language,
    'Baton',
    html`<h1>Baton</h1>
<dl><dt>${words.signedInAs}</dt><dd>${user.name}</dd><dd>${words.roles[user.role]}</dd></dl>
<p><a href="/docs">${words.docs}</a></p>
<form method="post" action="/sign-out"><button class="plain">${words.signOut}</button></form>`,
  );
}
