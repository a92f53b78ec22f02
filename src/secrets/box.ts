/** Keeps text in the database unreadable without the key (AES-256-GCM, HMAC-SHA-256). */
export interface SecretBox {
  /** `context` names what the text belongs to; opening it with another context fails. */
  seal(plain: string, context: string): string;
  /** Throws `key_mismatch` if it was not sealed with this key and context. */
  open(sealed: string, context: string): string;
  /** Equal for equal text and context. A plain hash could be guessed: a masked password is short. */
  digest(plain: string, context: string): string;
}
