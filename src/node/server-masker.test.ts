import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMasker } from '../policy/masking/masking.ts';
import { hideOwn } from './server-masker.ts';

test('[P4] the secret key is masked in every encoding, with its padding and without', () => {
  const masker = createMasker();
  const key = randomBytes(32);
  hideOwn(masker, undefined, key);
  const base64 = key.toString('base64');
  const written = [
    base64,
    base64.replace(/=+$/, ''),
    key.toString('base64url'),
    key.toString('hex'),
  ];
  for (const each of written) expect(masker.mask(`<${each}>`)).toBe('<***MASKED***>');
});
