import { setImmediate as turn } from 'node:timers/promises';
import type { Masker } from '../../policy/masking/masker.ts';

/** Masking takes up to 2 µs a character, so this much takes at most 33 ms. */
const PIECE = 16 * 1024;

/**
 * Masks a text of any length, with the same result as `masker.mask`, while other work of the node
 * continues: one tool result may have megabytes.
 */
export async function maskInPieces(masker: Masker, text: string): Promise<string> {
  if (text.length <= PIECE) return masker.mask(text);
  const stream = masker.stream();
  let masked = '';
  for (let at = 0; at < text.length; at += PIECE) {
    masked += stream.push(text.slice(at, at + PIECE));
    await turn();
  }
  return masked + stream.end();
}
