import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_ENV_DEFAULT, agentEnvironment } from '../../../src/agents/environment.ts';
import { type ModelServer, startModelServer } from '../../../test/model-server/server.ts';
import { BatonServer } from '../../baton-server.ts';
import type { Place } from '../../place.ts';

const PROGRAM = fileURLToPath(
  new URL(
    `../../../node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
    import.meta.url,
  ),
);

/** Runs that Baton and the bare programs have at once. */
export const AT_ONCE = 4;

/** The real Claude Code and a model that says what it is told to, for Baton and without it. */
export interface ClaudeScene {
  readonly model: ModelServer;
  readonly server: BatonServer;
  readonly program: string;
  /** What an agent of this server sees. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export async function openClaude(place: Place): Promise<ClaudeScene> {
  if (!existsSync(PROGRAM)) throw new Error(`Claude Code is not installed: ${PROGRAM}`);
  const model = await startModelServer();
  place.own(() => model.stop());
  const home = place.directory();
  const folder = (name: string): string => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  const temporary = folder('tmp');
  // One for both sides: what Claude Code keeps there between its runs is the same for both.
  const environment = {
    ...model.environment,
    HOME: home,
    CLAUDE_CONFIG_DIR: folder('config'),
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
  };
  const seen = [...AGENT_ENV_DEFAULT, 'CLAUDE_CODE_TMPDIR'];
  const server = await BatonServer.start(place, {
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
