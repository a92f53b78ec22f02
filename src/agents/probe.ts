import type { AgentProblem } from '../contract/agent.ts';
import type { Finding } from '../contract/finding.ts';

/** Whether an agent can work on this machine, as far as that can be checked without the network. */
export interface AgentProbe {
  readonly version: string | null;
  readonly problem: AgentProblem | null;
  /** How to fix the problem, for people; names no path of this machine. */
  readonly fix: string | null;
  /** For `baton doctor`, which may name paths. */
  readonly findings: readonly Finding[];
}

export interface ProbeEnvironment {
  /** The server's own environment. */
  readonly server: NodeJS.ProcessEnv;
  /** The part of it that agents see (A10). */
  readonly agent: Readonly<Record<string, string>>;
}
