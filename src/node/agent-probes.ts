import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import type { AgentView } from '../contract/agent.ts';
import { type ClaudeLook, lookAtClaude } from './claude-probe.ts';

/** To look means to start the program; what was wrong may be mended at any time. */
const GOOD_MS = 60_000;
const BAD_MS = 5000;

export interface AgentLooksOptions {
  readonly config: Pick<Config, 'claudePath' | 'agentEnv'>;
  readonly env: NodeJS.ProcessEnv;
  /** Whether this node runs agents; else nobody here can tell. */
  readonly executes: boolean;
  readonly now?: () => number;
  readonly look?: typeof lookAtClaude;
}

/** Which agents can work here, looked at when asked and remembered for a while. */
export function agentLooks(options: AgentLooksOptions): () => Promise<AgentView[]> {
  const { config, env, executes, now = Date.now, look = lookAtClaude } = options;
  let known: { readonly views: Promise<AgentView[]>; until: number } | null = null;
  return () => {
    if (!executes) return Promise.resolve([unknown('claude'), unknown('shell')]);
    if (known !== null && now() < known.until) return known.views;
    const views = Promise.all([look(config, env).then(claudeView), shellView()]);
    const taken = { views, until: Number.POSITIVE_INFINITY };
    known = taken;
    views.then(
      (all) => {
        taken.until = now() + (all.every(({ ready }) => ready === true) ? GOOD_MS : BAD_MS);
      },
      () => {
        taken.until = 0;
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

const claudeView = ({ version, problem, fix }: ClaudeLook): AgentView => ({
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
