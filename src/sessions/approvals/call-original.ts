import type { Json } from '../../contract/values/json.ts';
import type { SecretBox } from '../../secrets/box.ts';

/* Encrypts and decrypts the original input of a tool call, stored beside the masked one (P4). */

const sealedAs = (approvalId: string): string => `call of ${approvalId}`;

export const sealCall = (input: Json, approvalId: string, box: SecretBox): string =>
  box.seal(JSON.stringify(input), sealedAs(approvalId));

export const openCall = (sealed: string, approvalId: string, box: SecretBox): Json =>
  JSON.parse(box.open(sealed, sealedAs(approvalId))) as Json;
