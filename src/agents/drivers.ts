import { DRIVEN_KINDS, type DrivenKind, isDriven } from '../contract/agent-kinds.ts';
import { BatonError } from '../contract/errors.ts';
import type { AgentKind } from '../contract/session.ts';
import { type ClaudeSettings, claudeDriver } from './claude/driver.ts';
import { probeClaude } from './claude/probe.ts';
import type { AgentDriver } from './driver.ts';
import type { AgentProbe, ProbeEnvironment } from './probe.ts';
import { shellDriver } from './shell/driver.ts';
import { probeShell } from './shell/probe.ts';

export interface DriverSettings {
  readonly claude?: ClaudeSettings;
}

interface Registration {
  readonly driver: (settings: DriverSettings) => AgentDriver;
  readonly probe: (settings: DriverSettings, environment: ProbeEnvironment) => Promise<AgentProbe>;
}

const REGISTERED: Record<DrivenKind, Registration> = {
  claude: {
    driver: ({ claude }) => claudeDriver(claude),
    probe: ({ claude }, environment) => probeClaude(claude?.program, environment),
  },
  shell: { driver: () => shellDriver(), probe: (_, environment) => probeShell(environment) },
};

export function driverOf(kind: AgentKind, settings: DriverSettings = {}): AgentDriver {
  if (isDriven(kind)) return REGISTERED[kind].driver(settings);
  throw new BatonError(
    'not_available',
    `The agent ${kind} is not available in this version; use ${DRIVEN_KINDS.join(' or ')}.`,
  );
}

export const probeAgent = (
  kind: DrivenKind,
  settings: DriverSettings,
  environment: ProbeEnvironment,
): Promise<AgentProbe> => REGISTERED[kind].probe(settings, environment);
