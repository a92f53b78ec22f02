import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  AGENT_ENV_DEFAULT,
  agentEnvironment,
} from '../../../src/workspaces/local/environment/environment.ts';
import { type ModelServer, startModelServer } from '../../../test/model-server/server.ts';
import { BatonServer } from '../../baton-server.ts';
import type { Resources } from '../../resources.ts';

const PROGRAM = fileURLToPath(
  new URL(
    `../../../node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    import.meta.url,
  ),
);

/** Concurrent runs, with Baton and without. */
export const AT_ONCE = 4;

/** The real Claude Code and a scripted model, for runs with Baton and without. */
export interface ClaudeScene {
  readonly model: ModelServer;
  readonly server: BatonServer;
  readonly program: string;
  /** The environment of an agent of this server. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openClaude(resources: Resources): Promise<ClaudeScene> {
  if (!existsSync(PROGRAM)) throw new Error(`Claude Code is not installed: ${PROGRAM}`);
  const model = await startModelServer();
  resources.own(() => model.stop());
  const home = resources.directory();
  const folder = (name: string): string => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  const temporary = folder('tmp');
  // One home for both sides, because Claude Code keeps state there between runs.
  const environment = {
    ...model.environment,
    HOME: home,
    CLAUDE_CONFIG_DIR: folder('config'),
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
  };
  const seen = [...AGENT_ENV_DEFAULT, 'CLAUDE_CODE_TMPDIR'];
  const server = await BatonServer.start(resources, {
    environment,
    settings: {
      BATON_CLAUDE_PATH: PROGRAM,
      BATON_AGENT_ENV: seen.join(','),
      BATON_MAX_CONCURRENT_RUNS: String(AT_ONCE),
    },
  });
  return {
    model,
    server,
    program: PROGRAM,
    environment: agentEnvironment({ ...process.env, ...environment }, seen),
    close: async () => {
      await server.program.stop();
      await model.stop();
      if (model.failures.length > 0) throw new Error(model.failures.join('\n'));
    },
  };
}
