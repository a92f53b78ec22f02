/** Replaces secrets in text before it is stored, logged, streamed or counted (P4, E8). */
export interface Masker {
  mask(text: string): string;
  /** The same for text in a tool call: no mask covers shell syntax or a line break (P4). */
  maskCall(text: string): string;
  /** For text that arrives in pieces: a secret split across pieces is masked, too. */
  stream(): MaskStream;
  /** True if the text contains one of the masks, so it is not the original. */
  hasMask(text: string): boolean;
}

export interface MaskStream {
  /** Returns what is safe to show; the rest waits for the next piece. */
  push(piece: string): string;
  /** Returns the rest; no more text follows. */
  end(): string;
}
