import type { JsonSchema } from '../openapi/schemas.ts';
import { type Html, html, prose } from './html.ts';

/** The fields of an object as a table; anything else as its type. */
export function showSchema(schema: JsonSchema): Html {
  const { properties } = schema;
  if (properties === undefined) return html`<p>${showType(schema)}</p>`;
  const required = new Set(schema.required ?? []);
  // If all fields are required, as in most responses, labelling them would say nothing.
  if (Object.keys(properties).every((name) => required.has(name))) required.clear();
  const rows = Object.entries(properties).map(([name, field]) =>
    showField({ name, schema: field, required: required.has(name) }),
  );
  return showTable(rows);
}

export interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly description?: string;
}

export const showTable = (rows: readonly Html[]): Html =>
  html`<div class="table" role="region" aria-label="Fields" tabindex="0"><table>
<thead><tr><th scope="col">field</th><th scope="col">type</th><th scope="col">meaning</th></tr></thead>
<tbody>${rows}</tbody></table></div>`;

export function showField({ name, schema, required, description }: Field): Html {
  const meaning = description ?? text(schema['description']);
  const nested = schema.properties === undefined ? null : showSchema(schema);
  return html`<tr><th scope="row"><code>${name}</code>${required ? html` <span class="required">required</span>` : null}</th>
<td>${showType(schema)}${showLimits(schema)}</td><td>${meaning === '' ? null : prose(meaning)}${nested}</td></tr>`;
}

/** A type as readable text. */
export function showType(schema: JsonSchema): Html {
  const { $ref, type } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const choices = (schema['anyOf'] ?? schema['oneOf']) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return joined(choices.map(showChoice), ' or ');
  const values = schema['enum'] as readonly unknown[] | undefined;
  if (values !== undefined)
    return joined(
      values.map((one) => html`<code>${String(one)}</code>`),
      ', ',
    );
  if (schema['const'] !== undefined) return html`<code>${JSON.stringify(schema['const'])}</code>`;
  if (type === 'array') return html`list of ${showType((schema['items'] ?? {}) as JsonSchema)}`;
  const rest = schema['additionalProperties'];
  if (type === 'object' && typeof rest === 'object' && rest !== null) {
    return html`object of ${showType(rest as JsonSchema)}`;
  }
  if (Array.isArray(type)) return html`${type.join(' or ')}`;
  const format = text(schema['format']);
  return html`${format === '' ? (type ?? 'anything') : format}`;
}

/** Unnamed objects are distinguished by their fields. */
function showChoice(schema: JsonSchema): Html {
  if (schema.properties === undefined) return showType(schema);
  const fields = Object.entries(schema.properties).map(
    ([name, field]) => html`<code>${name}</code>: ${showType(field)}`,
  );
  return html`{ ${joined(fields, ', ')} }`;
}

const LIMITS: readonly (readonly [keyword: string, words: string])[] = [
  ['minimum', 'from'],
  ['maximum', 'to'],
  ['minLength', 'min. length'],
  ['maxLength', 'max. length'],
  ['minItems', 'min. items'],
  ['maxItems', 'max. items'],
];

function showLimits(schema: JsonSchema): Html {
  const limits = LIMITS.filter(([keyword]) => schema[keyword] !== undefined).map(
    ([keyword, words]) => `${words} ${schema[keyword]}`,
  );
  if (schema['default'] !== undefined) limits.push(`default ${JSON.stringify(schema['default'])}`);
  return html`${limits.map((limit) => html` <small>${limit}</small>`)}`;
}

const joined = (parts: readonly Html[], between: string): Html =>
  html`${parts.map((part, i) => (i === 0 ? part : html`${between}${part}`))}`;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
