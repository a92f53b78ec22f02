import { expect, test } from 'vitest';
import { CAPABILITIES, DRIVEN_KINDS, RESERVED_KINDS } from '../contract/agent-kinds.ts';
import { driverOf } from './drivers.ts';

test.each(DRIVEN_KINDS)('[A1] the agent %s has a driver that declares its row', (kind) => {
  expect(driverOf(kind)).toMatchObject({ kind, capabilities: CAPABILITIES[kind] });
});

test.each(RESERVED_KINDS)('[A1] the reserved agent %s is refused by name', (kind) => {
  expect(() => driverOf(kind)).toThrow(
    expect.objectContaining({
      code: 'not_available',
      message: `The agent ${kind} is not available in this version; use claude or shell.`,
    }),
  );
});
