import type { Masker } from '../../policy/masking/masker.ts';
import { giveWay, isLong, PIECE } from '../../queue/give-way.ts';

/**
 * Masks text of any length with the same result as `masker.mask`, but lets the node's other work
 * continue in between: a single tool result may be several megabytes long. `key` is for `giveWay`.
 */
export async function maskInPieces(masker: Masker, text: string, key: string): Promise<string> {
  if (!isLong(text)) return masker.mask(text);
  const stream = masker.stream();
  let masked = '';
  for (let at = 0; at < text.length; at += PIECE) {
    await giveWay(key);
    masked += stream.push(text.slice(at, at + PIECE));
  }
  return masked + stream.end();
}
