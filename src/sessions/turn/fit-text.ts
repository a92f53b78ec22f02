import { byteLength } from '../../contract/json.ts';

export interface Fitted {
  readonly text: string;
  readonly truncated: boolean;
}

/** The end of a text, at most `maxBytes` as JSON; the end matters most. */
export function fitText(text: string, maxBytes: number): Fitted {
  let rest = text;
  for (;;) {
    const bytes = byteLength(JSON.stringify(rest));
    if (bytes <= maxBytes) return { text: rest, truncated: rest.length < text.length };
    const keep = Math.floor((rest.length * maxBytes) / bytes) - 1;
    rest = keep <= 0 ? '' : rest.slice(-keep).toWellFormed();
  }
}
