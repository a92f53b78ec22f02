import { BatonError } from '../contract/errors.ts';
import { DEPTH_MAX } from '../contract/functions/cut-depth.ts';

/** No request needs more values than this, and each one costs time in every later check. */
const VALUES_MAX = 100_000;

/**
 * Refuses harmful input that schemas do not check: extreme nesting, too many values, names that
 * reach a prototype, and characters that a database cannot store. `secure-json-parse` covers only the
 * prototype, and this pass over the values is needed anyway.
 */
export function refuseHarmful(value: unknown): void {
  check(value, [], { values: 0 });
}

interface Seen {
  values: number;
}

/** All values share one path array, because a body of one megabyte can have half a million values. */
function check(value: unknown, path: (string | number)[], seen: Seen): void {
  if (++seen.values > VALUES_MAX) throw refused([], 'has too many values');
  if (typeof value === 'string') refuseText(value, path);
  if (typeof value !== 'object' || value === null) return;
  if (path.length >= DEPTH_MAX) throw refused(path.slice(0, 3), 'is nested too deeply');
  const checkAt = (at: string | number, inner: unknown): void => {
    path.push(at);
    check(inner, path, seen);
    path.pop();
  };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) checkAt(i, value[i]);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    refuseText(name, path);
    if (reachesPrototype(name, inner)) throw refused([...path, name], 'is a reserved name');
    checkAt(name, inner);
  }
}

function reachesPrototype(name: string, value: unknown): boolean {
  if (name === '__proto__') return true;
  const isObject = typeof value === 'object' && value !== null;
  return name === 'constructor' && isObject && Object.hasOwn(value, 'prototype');
}

export function refuseText(text: string, path: readonly (string | number)[]): void {
  if (text.includes('\0')) throw refused(path, 'contains a NUL character');
  if (!text.isWellFormed()) throw refused(path, 'contains half a surrogate pair');
}

function refused(path: readonly (string | number)[], why: string): BatonError {
  const field = path.join('.');
  return new BatonError('invalid_request', field === '' ? `The body ${why}.` : `${field}: ${why}`, {
    details: { field },
  });
}
