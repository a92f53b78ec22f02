/** Encrypts what must be kept but not be readable in the database (AES-256-GCM). */
export interface SecretBox {
  /** `context` names what it belongs to; opening with another one fails. */
  seal(plain: string, context: string): string;
  /** Throws `key_mismatch` if it was not sealed with this key and context. */
  open(sealed: string, context: string): string;
}
