import { byteLength, type Json } from '../contract/values/json.ts';

/*
 * Makes tool output fit into an event (E5) and into a database, which refuses NUL and lone
 * surrogates.
 */

/** The size is measured in bytes of JSON, and is below the limit for an event. */
export const LONGEST_BYTES = 200 * 1024;

export const cleanText = (text: string): string => text.replaceAll('\0', '\uFFFD').toWellFormed();

export interface Fitted<T> {
  readonly value: T;
  readonly truncated: boolean;
}

/** The beginning of the text, cut so that it takes at most `maxBytes` as JSON. */
export function fitBeginning(text: string, maxBytes = LONGEST_BYTES): Fitted<string> {
  // Nothing past this point can fit, and cleaning megabytes only to discard them is slow.
  let rest = cleanText(text.slice(0, maxBytes));
  for (;;) {
    const bytes = byteLength(JSON.stringify(rest));
    if (bytes <= maxBytes) break;
    rest = cutOff(rest, Math.floor((rest.length * maxBytes) / bytes) - 1);
  }
  return { value: rest, truncated: rest.length < text.length };
}

/**
 * Makes a tool's input fit into an event. First truncates long strings; gives up the structure only
 * if that is not enough.
 */
export function fitJson(value: Json, maxBytes = LONGEST_BYTES): Fitted<Json> {
  const whole = mapTexts(value, cleanText);
  if (byteLength(JSON.stringify(whole)) <= maxBytes) return { value: whole, truncated: false };
  for (let longest = maxBytes / 2; longest >= 16; longest /= 4) {
    const cut = mapTexts(whole, (text) => fitBeginning(text, longest).value);
    if (byteLength(JSON.stringify(cut)) <= maxBytes) return { value: cut, truncated: true };
  }
  return { value: fitBeginning(JSON.stringify(whole), maxBytes).value, truncated: true };
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [cleanText(key), mapTexts(each, change)]),
  );
}

const cutOff = (text: string, length: number): string =>
  length <= 0 ? '' : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
