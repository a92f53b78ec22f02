import { BatonError } from '../contract/errors.ts';
import type { AgentKind } from '../contract/session.ts';
import { type ClaudeSettings, claudeDriver } from './claude/driver.ts';
import type { AgentDriver } from './driver.ts';
import { shellDriver } from './shell/driver.ts';

export interface DriverSettings {
  readonly claude?: ClaudeSettings;
}

const DRIVERS: Partial<Record<AgentKind, (settings: DriverSettings) => AgentDriver>> = {
  claude: ({ claude }) => claudeDriver(claude),
  shell: () => shellDriver(),
};

export function driverOf(kind: AgentKind, settings: DriverSettings = {}): AgentDriver {
  const driver = DRIVERS[kind];
  if (driver !== undefined) return driver(settings);
  const there = Object.keys(DRIVERS).join(' or ');
  throw new BatonError(
    'not_available',
    `The agent ${kind} is not available in this version; use ${there}.`,
  );
}
