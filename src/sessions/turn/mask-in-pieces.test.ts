import { expect, test } from 'vitest';
import { SECRETS } from '../../policy/masking/corpus.ts';
import { createMasker } from '../../policy/masking/masking.ts';
import { maskInPieces } from './mask-in-pieces.ts';

test('[P4] a long text is masked as a whole, wherever it is cut', async () => {
  const masker = createMasker();
  for (const { secret } of SECRETS) {
    for (let shift = 1; shift < secret.length; shift += 7) {
      const text = `${' '.repeat(16 * 1024 - shift)}${secret}\nand more`;
      expect(await maskInPieces(masker, text, 'agents')).toBe(masker.mask(text));
    }
  }
});

test('[P4] other work continues while megabytes are masked', async () => {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    again = setImmediate(count);
  };
  let again = setImmediate(count);
  await maskInPieces(createMasker(), 'password: s '.repeat(100_000), 'agents');
  clearImmediate(again);
  expect(turns).toBeGreaterThan(50);
});
