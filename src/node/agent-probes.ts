import { probeAgent } from '../agents/drivers.ts';
import type { AgentProbe } from '../agents/probe.ts';
import type { Config } from '../config/config.ts';
import type { AgentView } from '../contract/agent.ts';
import { DRIVEN_KINDS, type DrivenKind } from '../contract/agent-kinds.ts';
import { probeEnvironment } from './probe-environment.ts';

/*
 * A probe starts the program, so its result is cached. A bad result is cached only briefly, because
 * the problem may be fixed soon.
 */
const GOOD_MS = 60_000;
const BAD_MS = 5000;

type ProbedConfig = Pick<Config, 'claudePath' | 'agentEnv'>;
type Probe = (kind: DrivenKind) => Promise<AgentProbe>;

export interface AgentProbesOptions {
  readonly probe: Probe;
  /** Whether this node runs agents. A node that runs no agents cannot know whether they work. */
  readonly executes: boolean;
  readonly now?: () => number;
}

/** Probes an agent as this machine's agents would run it. */
export const agentProbe =
  ({ claudePath, agentEnv }: ProbedConfig, env: NodeJS.ProcessEnv): Probe =>
  (kind) =>
    probeAgent(kind, { claude: { program: claudePath } }, probeEnvironment(env, agentEnv));

/**
 * Returns a function that says which agents can run here. The function probes on demand and caches
 * the result.
 */
export function agentProbes(options: AgentProbesOptions): () => Promise<AgentView[]> {
  const { probe, executes, now = Date.now } = options;
  let cached: { readonly views: Promise<AgentView[]>; until: number } | null = null;
  return () => {
    if (!executes) return Promise.resolve(DRIVEN_KINDS.map(unknown));
    if (cached !== null && now() < cached.until) return cached.views;
    const views = Promise.all(DRIVEN_KINDS.map(async (kind) => viewOf(kind, await probe(kind))));
    const entry = { views, until: Number.POSITIVE_INFINITY };
    cached = entry;
    views.then(
      (all) => {
        entry.until = now() + (all.every(({ ready }) => ready === true) ? GOOD_MS : BAD_MS);
      },
      () => {
        entry.until = 0;
      },
    );
    return views;
  };
}

const unknown = (kind: DrivenKind): AgentView => ({
  kind,
  ready: null,
  version: null,
  problem: null,
  fix: null,
});

const viewOf = (kind: DrivenKind, { version, problem, fix }: AgentProbe): AgentView => ({
  kind,
  ready: problem === null,
  version,
  problem,
  fix,
});
