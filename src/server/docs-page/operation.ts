import type { Operation } from '../openapi/document.ts';
import type { JsonSchema } from '../openapi/schemas.ts';
import { type Html, html, prose } from './html.ts';
import { type Field, showField, showSchema, showTable } from './schema.ts';

export interface Listed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

interface Content {
  readonly [type: string]: { readonly schema: JsonSchema; readonly example?: unknown };
}

interface Response {
  readonly description: string;
  readonly headers?: Record<string, { readonly description: string }>;
  readonly content?: Content;
}

interface Parameter extends Field {
  readonly in: string;
}

/**
 * Initially collapsed. Following a link to the operation opens it, because the link's target is
 * inside.
 */
export function showOperation({ method, path, operation }: Listed): Html {
  const { operationId, summary } = operation;
  return html`<details class="operation">
<summary><h3><span class="method ${method}">${method}</span> <code class="path">${path}</code></h3>
<span class="what">${prose(summary)}</span></summary>
<div class="body" id="${operationId}">
${operation.security === undefined ? null : html`<p class="note">No credential required.</p>`}
${showParameters(operation.parameters as Parameter[])}
${showBody(operation)}
${showAnswers(operation.responses as Record<string, Response>)}
</div></details>`;
}

const TITLES: Record<string, string> = {
  path: 'Path parameters',
  query: 'Query parameters',
  header: 'Headers',
};

function showParameters(parameters: readonly Parameter[]): Html[] {
  return [...Map.groupBy(parameters, (parameter) => parameter.in)].map(
    ([location, fields]) =>
      html`<h4>${TITLES[location] ?? location}</h4>${showTable(fields.map((field) => showField(field)))}`,
  );
}

function showBody(operation: Operation): Html | null {
  const { requestBody } = operation as { requestBody?: { content: Content } };
  return requestBody === undefined ? null : html`<h4>Body</h4>${showContent(requestBody.content)}`;
}

function showAnswers(responses: Record<string, Response>): Html {
  const all = Object.entries(responses);
  const fine = all.filter(([status]) => Number(status) < 400);
  const errors = all.filter(([status]) => Number(status) >= 400);
  return html`<h4>Response</h4>${fine.map(showAnswer)}<h4>Errors</h4><dl class="errors">${errors.map(
    ([status, { description }]) =>
      html`<dt>${status}</dt>${description.split('\n\n').map((line) => html`<dd>${prose(line)}</dd>`)}`,
  )}</dl>`;
}

const showAnswer = ([status, { description, headers, content }]: [string, Response]): Html =>
  html`<p><strong>${status}</strong> ${prose(description)}</p>${Object.entries(headers ?? {}).map(
    ([name, header]) => html`<p><code>${name}</code>: ${prose(header.description)}</p>`,
  )}${showContent(content ?? {})}`;

function showContent(content: Content): Html[] {
  return Object.entries(content).map(
    ([
      type,
      { schema, example },
    ]) => html`<p class="type"><code>${type}</code></p>${showSchema(schema)}
${example === undefined ? null : html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`}`,
  );
}
