import { expect, test } from 'vitest';
import { driverOf } from './drivers.ts';

test.each(['claude', 'shell'] as const)('[A1] the agent %s is there', (kind) => {
  expect(driverOf(kind).kind).toBe(kind);
});

test('[A1] acp is refused by name', () => {
  expect(() => driverOf('acp')).toThrow(
    expect.objectContaining({
      code: 'not_available',
      message: 'The agent acp is not available in this version; use claude or shell.',
    }),
  );
});
