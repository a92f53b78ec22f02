/** Replaces secrets in text before it is stored, logged, streamed or counted (P4, E8). */
export interface Masker {
  mask(text: string): string;
  /** Masks text in a tool call: no mask covers shell syntax or a line break (P4). */
  maskCall(text: string): string;
  /** Masks text that arrives in pieces, even if a secret is split across pieces. */
  stream(): MaskStream;
  /** True if the text contains a mask, which means that it is not the original. */
  hasMask(text: string): boolean;
}

export interface MaskStream {
  /** Returns what is safe to show; the rest waits for the next piece. */
  push(piece: string): string;
  /** Returns the text that is still held back; no more text follows. */
  end(): string;
}
