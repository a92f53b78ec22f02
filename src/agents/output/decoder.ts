/**
 * Decodes bytes to whole characters: a character split across two pieces is returned with the
 * second. Invalid UTF-8 becomes U+FFFD, and so does NUL, which databases refuse.
 */
export class Decoder {
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  push(bytes: Uint8Array): string {
    return clean(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return clean(this.#decoder.decode());
  }
}

const clean = (text: string): string => text.replaceAll('\0', '\uFFFD');
