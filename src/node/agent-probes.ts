import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import type { AgentView } from '../contract/agent.ts';
import { type ClaudeProbe, probeClaude } from './claude-probe.ts';

/*
 * A probe starts the program, so its result is cached; a bad result only briefly, because the
 * problem may be fixed soon.
 */
const GOOD_MS = 60_000;
const BAD_MS = 5000;

export interface AgentProbesOptions {
  readonly config: Pick<Config, 'claudePath' | 'agentEnv'>;
  readonly env: NodeJS.ProcessEnv;
  /** Whether this node runs agents. If not, it cannot know whether they work. */
  readonly executes: boolean;
  readonly now?: () => number;
  readonly probe?: typeof probeClaude;
}

/**
 * Returns a function that says which agents can run here. It probes on demand and caches the
 * result.
 */
export function agentProbes(options: AgentProbesOptions): () => Promise<AgentView[]> {
  const { config, env, executes, now = Date.now, probe = probeClaude } = options;
  let cached: { readonly views: Promise<AgentView[]>; until: number } | null = null;
  return () => {
    if (!executes) return Promise.resolve([unknown('claude'), unknown('shell')]);
    if (cached !== null && now() < cached.until) return cached.views;
    const views = Promise.all([probe(config, env).then(claudeView), shellView()]);
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

const unknown = (kind: AgentView['kind']): AgentView => ({
  kind,
  ready: null,
  version: null,
  problem: null,
  fix: null,
});

const claudeView = ({ version, problem, fix }: ClaudeProbe): AgentView => ({
  kind: 'claude',
  ready: problem === null,
  version,
  problem,
  fix,
});

async function shellView(): Promise<AgentView> {
  const view = { kind: 'shell', version: null } as const;
  return access('/bin/sh', constants.X_OK).then(
    () => ({ ...view, ready: true, problem: null, fix: null }),
    () => ({
      ...view,
      ready: false,
      problem: 'not_installed' as const,
      fix: 'install a POSIX shell',
    }),
  );
}
