import { expect, test } from 'vitest';
import { driverOf } from './drivers.ts';

test('[A1] the shell agent is there', () => expect(driverOf('shell').kind).toBe('shell'));

test.each(['claude', 'acp'] as const)('[A1] %s is refused by name', (kind) => {
  expect(() => driverOf(kind)).toThrow(
    expect.objectContaining({
      code: 'not_available',
      message: `The agent ${kind} is not available in this version; use shell.`,
    }),
  );
});
