import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Html, html, prose } from '../docs-page/html.ts';
import { hostNameOf } from '../own-site.ts';
import { page } from './sign-in-page.ts';
import { STYLE } from './style.ts';
import { languageOf, WORDS } from './texts.ts';

/* The page for people who used a host name that the server does not know (`host_refused`). */

/** The style is inline because this server would also refuse to serve a file under this name. */
const CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function showRefusedHost(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { headers } = request;
  const language = languageOf(headers['accept-language']);
  const { title, why, publicUrl, allowedHosts, restart } = WORDS[language].refusedHost;
  const name = hostNameOf(headers.host);
  request.errorCode = 'host_refused';
  return reply
    .code(403)
    .headers({ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CSP })
    .send(
      page(
        language,
        title,
        html`<h1>${title}</h1><p>${why}</p>
<p>${prose(publicUrl)}</p>
<p>${prose(allowedHosts)}${name === undefined ? null : html`<br><code>BATON_ALLOWED_HOSTS=${name}</code>`}</p>
<p class="soft">${restart}</p>`,
        new Html(`<style>${STYLE}</style>`),
      ),
    );
}
