import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { ProbeEnvironment } from '../agents/probe.ts';
import { agentEnvironment } from '../workspaces/local/environment/environment.ts';
import { findProgram } from '../workspaces/local/find-program.ts';
import { homeOf } from '../workspaces/local/runtime.ts';
import { packagedProgram } from './packaged-programs.ts';

const run = promisify(execFile);
/** Programs usually start within a second, but a busy machine needs longer. */
const RUN_MS = 20_000;

/** This machine as its agents see it, given the server's environment. */
export function probeEnvironment(
  server: NodeJS.ProcessEnv,
  agentEnv?: readonly string[],
): ProbeEnvironment {
  const agent = agentEnvironment(server, agentEnv);
  return {
    server,
    agent,
    home: homeOf(agent),
    find: (program) => findProgram(program, agent, packagedProgram(program)),
    outputOf: async ([program = '', ...args], env) => {
      const options = { env: { ...agent, ...env }, timeout: RUN_MS };
      return (await run(program, args, options).catch(() => null))?.stdout ?? null;
    },
    isReadable: (path) =>
      access(path, constants.R_OK).then(
        () => true,
        () => false,
      ),
  };
}
