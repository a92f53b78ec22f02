import { createHash } from 'node:crypto';
import type { OpenApi } from '../openapi/document.ts';
import { ASSETS, NOTICES } from '../web/paths.ts';
import { Html, html, prose } from './html.ts';
import { type Listed, showOperation } from './operation.ts';
import { showSchema } from './schema.ts';
import { STYLE } from './style.ts';

/** Allows nothing but the page's own style; the page has no script. */
export const DOCS_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The API documentation as a web page (H7). */
export function docsPage(document: OpenApi): string {
  const operations = listOperations(document);
  const groups = document.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags.includes(name)),
  }));
  const schemas = Object.entries(document.components.schemas);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${document.info.title} API</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the operations</a>
<header><h1>${document.info.title} API</h1>
<p>${prose(document.info.description)}</p>
<p>Every request needs <code>Authorization: Bearer &lt;token&gt;</code>, except where noted. The same
document for programs: <a href="/api/v1/openapi.json">openapi.json</a>. Licences of the libraries in
the web app: <a href="${ASSETS}${NOTICES}">${NOTICES}</a>.</p></header>
<nav aria-label="Operations">${groups.map(
    (group) => html`<h2>${group.name}</h2><ul>${group.operations.map(showLink)}</ul>`,
  )}<h2><a href="#schemas">Schemas</a></h2></nav>
<main id="content">${groups.map(
    (group) =>
      html`<section><h2>${group.name}</h2>${group.operations.map(showOperation)}</section>`,
  )}<section><h2 id="schemas">Schemas</h2>${schemas.map(
    ([name, schema]) =>
      html`<section class="schema" id="schema-${name}"><h3>${name}</h3>${showSchema(schema)}</section>`,
  )}</section></main>
</body>
</html>
`.text;
}

const showLink = ({ method, path, operation }: Listed): Html =>
  html`<li><a href="#${operation.operationId}"><span class="method ${method}">${method}</span> ${path}</a></li>`;

function listOperations({ paths }: OpenApi): Listed[] {
  return Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
}
