import { BatonError } from '../contract/errors.ts';
import type { AgentKind } from '../contract/session.ts';
import type { AgentDriver } from './driver.ts';
import { shellDriver } from './shell/driver.ts';

const DRIVERS: Partial<Record<AgentKind, AgentDriver>> = { shell: shellDriver() };

export function driverOf(kind: AgentKind): AgentDriver {
  const driver = DRIVERS[kind];
  if (driver !== undefined) return driver;
  const there = Object.keys(DRIVERS).join(' or ');
  throw new BatonError(
    'not_available',
    `The agent ${kind} is not available in this version; use ${there}.`,
  );
}
