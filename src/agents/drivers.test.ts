import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CAPABILITIES, DRIVEN_KINDS, RESERVED_KINDS } from '../contract/agent-kinds.ts';
import { driverOf } from './drivers.ts';

test.each(DRIVEN_KINDS)('[A1] the agent %s has a driver that declares its row', (kind) => {
  expect(driverOf(kind)).toMatchObject({ kind, capabilities: CAPABILITIES[kind] });
});

test.each(DRIVEN_KINDS)('[A1] the driver %s runs the conformance suite', (kind) => {
  expect(existsSync(join(import.meta.dirname, kind, 'conformance.test.ts'))).toBe(true);
});

test.each(RESERVED_KINDS)('[A1] the reserved agent %s is refused by name', (kind) => {
  expect(() => driverOf(kind)).toThrow(
    expect.objectContaining({
      code: 'not_available',
      message: `The agent ${kind} is not available in this version; use ${DRIVEN_KINDS.join(' or ')}.`,
    }),
  );
});
