/** Keeps text in the database unreadable without the key (AES-256-GCM, HMAC-SHA-256). */
export interface SecretBox {
  /** `context` names what the text belongs to; opening it with another context fails. */
  seal(plain: string, context: string): string;
  /** Throws `key_mismatch` if the text was not sealed with this key and context. */
  open(sealed: string, context: string): string;
  /**
   * Digests are equal for equal text and context. If they were plain hashes, a masked password
   * could be guessed, because passwords are short.
   */
  digest(plain: string, context: string): string;
}
