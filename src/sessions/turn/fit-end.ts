import { byteLength } from '../../contract/values/json.ts';

export interface Fitted {
  readonly text: string;
  readonly truncated: boolean;
}

/** Cuts text to at most `maxBytes` as JSON. Keeps the end, which matters most. */
export function fitEnd(text: string, maxBytes: number): Fitted {
  let rest = text;
  for (;;) {
    const bytes = byteLength(JSON.stringify(rest));
    if (bytes <= maxBytes) return { text: rest, truncated: rest.length < text.length };
    const keep = Math.floor((rest.length * maxBytes) / bytes) - 1;
    rest = keep <= 0 ? '' : rest.slice(-keep).toWellFormed();
  }
}
