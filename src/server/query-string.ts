import { BatonError } from '../contract/errors.ts';
import { refuseText } from './plain-json.ts';

/**
 * The fields of a query string. Refuses repeated fields and invalid percent-encoding, both of which
 * `node:querystring` accepts.
 */
export function parseQuery(url: string): Record<string, string> {
  const start = url.indexOf('?');
  const fields = new Map<string, string>();
  for (const part of start === -1 ? [] : url.slice(start + 1).split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const name = decode(equals === -1 ? part : part.slice(0, equals));
    if (fields.has(name)) throw refused(name, 'is given twice');
    const value = equals === -1 ? '' : decode(part.slice(equals + 1), name);
    refuseText(value, [name]);
    fields.set(name, value);
  }
  // Even `__proto__` becomes an own property, so a strict schema sees and refuses it.
  return Object.fromEntries(fields);
}

function decode(text: string, field = 'query'): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw refused(field, 'is not validly percent-encoded');
  }
}

const refused = (name: string, why: string): BatonError =>
  new BatonError('invalid_request', `${name}: ${why}`, { details: { field: name.slice(0, 200) } });
