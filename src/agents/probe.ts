import type { AgentProblem } from '../contract/agent.ts';
import type { Finding } from '../contract/finding.ts';

/** Whether an agent can work on this machine, as far as that can be checked without the network. */
export interface AgentProbe {
  readonly version: string | null;
  readonly problem: AgentProblem | null;
  /** Tells people how to fix the problem; contains no paths on this machine. */
  readonly fix: string | null;
  /** For `baton doctor`, which may name paths. */
  readonly findings: readonly Finding[];
}

/**
 * The parts of the machine that a probe may use. A probe checks everything that an agent would use,
 * except a workspace.
 */
export interface ProbeEnvironment {
  /** The server's own environment. */
  readonly server: NodeJS.ProcessEnv;
  /** The part of the server's environment that agents see (A10). */
  readonly agent: Readonly<Record<string, string>>;
  readonly home: string;
  /** The path of a program; null if it is not installed. */
  find(program: string): Promise<string | null>;
  /**
   * What a program prints; null if it fails or cannot be started. `env` is added to the agents'
   * environment.
   */
  outputOf(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<string | null>;
  isReadable(path: string): Promise<boolean>;
}
