import type { Json } from '../../contract/json.ts';
import type { SecretBox } from '../../secrets/box.ts';

/* The input of a call as the agent gave it, beside what masking left of it (P4). */

const sealedAs = (approvalId: string): string => `call of ${approvalId}`;

export const sealCall = (input: Json, approvalId: string, box: SecretBox): string =>
  box.seal(JSON.stringify(input), sealedAs(approvalId));

export const openCall = (sealed: string, approvalId: string, box: SecretBox): Json =>
  JSON.parse(box.open(sealed, sealedAs(approvalId))) as Json;
