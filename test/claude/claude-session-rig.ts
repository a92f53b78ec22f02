import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { Approval } from '../../src/contract/approval.ts';
import type { RunView } from '../../src/contract/run-view.ts';
import type { Session } from '../../src/contract/session.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { processTable } from '../../src/workspaces/local/processes/process-table.ts';
import { parseTag, TAG_VARIABLE } from '../../src/workspaces/local/processes/tag.ts';
import { type StepInput, scripted } from '../model-server/script.ts';
import { startModelServer } from '../model-server/server.ts';
import { createDatabase } from '../support/postgres.ts';
import { isAlive, root, temporaryDirectory } from '../support/processes.ts';
import { Server, type ServerOptions } from '../support/server-rig.ts';
import { until } from '../support/until.ts';

export const CLAUDE = join(
  root,
  `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
);

/** Servers and agents start in seconds; a busy machine takes ten times as long. */
export const PATIENCE = { ms: 120_000, every: 50 };
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

const table = processTable();

export const bash = (command: string) => ({ name: 'Bash', input: { command } });
/** Creates a file with a command that needs approval. */
export const making = (name: string) => bash(`install /dev/null ${name}`);

/** Records each start of Claude Code, and whether another process has its conversation at that time. */
const wrapper = (home: string, program: string): string => `#!/bin/sh
how= id= before=
for word; do
  case $before in --resume|--session-id) how=$before id=$word ;; esac
  before=$word
done
if [ -e ${home}/starts ]; then
  while read -r _ other pid _; do
    [ "$other" = "$id" ] || continue
    case $(ps -o stat= -p "$pid") in '' | Z*) ;; *) echo "$id" >> ${home}/overlaps ;; esac
  done < ${home}/starts
fi
echo "$how $id $$ $${TAG_VARIABLE}" >> ${home}/starts
exec ${program} "$@"
`;

export interface Start {
  readonly how: string;
  readonly conversation: string;
  readonly pid: number;
  /** The node that started it. */
  readonly node: string;
}

/**
 * Real servers with the real Claude Code and a scripted model. When the test ends each server is
 * stopped, no process of an agent may be left, and no conversation may have had two processes at
 * once (A3, A9).
 */
export async function claudeServerRig() {
  const model = await startModelServer();
  onTestFinished(async () => {
    await model.stop();
    expect(model.failures).toEqual([]);
  });
  const home = temporaryDirectory();
  const folder = (name: string): string => {
    mkdirSync(join(home, name));
    return join(home, name);
  };
  const work = folder('work');
  const config = folder('config');
  const dataDir = folder('data');
  const program = join(home, 'claude');
  writeFileSync(program, wrapper(home, CLAUDE), { mode: 0o755 });
  const agentEnv: Record<string, string> = {
    ...model.environment,
    CLAUDE_CONFIG_DIR: config,
    CLAUDE_CODE_TMPDIR: folder('tmp'),
  };
  const environment: NodeJS.ProcessEnv = {
    HOME: home,
    BATON_CLAUDE_PATH: program,
    BATON_AGENT_ENV: Object.keys(agentEnv).join(','),
    ...agentEnv,
  };

  const lines = (name: string): string[] =>
    existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8').trim().split('\n') : [];
  const starts = (): Start[] =>
    lines('starts').map((line) => {
      const [how = '', conversation = '', pid = '', mark = ''] = line.split(' ');
      return { how, conversation, pid: Number(pid), node: parseTag(mark)?.node ?? '' };
    });
  /** The agents of these servers, and all processes that they started. */
  const left = (): number[] => {
    const nodes = new Set(starts().map(({ node }) => node));
    const pids = table.list().map(({ pid }) => pid);
    return pids.filter((pid) => nodes.has(parseTag(table.tagOf(pid) ?? '')?.node ?? ' '));
  };
  const transcriptOf = (conversation: string): string => {
    const projects = join(config, 'projects');
    const file = readdirSync(projects, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith(`${conversation}.jsonl`),
    );
    if (file === undefined) throw new Error(`no transcript of ${conversation}`);
    return join(projects, file);
  };

  return {
    model,
    home,
    work,
    config,
    dataDir,
    program,
    environment,
    agentEnv,
    left,
    server: async (options: ServerOptions = {}): Promise<Server> => {
      const env = { ...environment, ...options.env };
      const server = await Server.start({ dataDir, ...options, env });
      onTestFinished(async () => {
        await stop(server);
        await until(() => left().length === 0, PATIENCE);
        expect(lines('overlaps')).toEqual([]);
      });
      return server;
    },
    /** All starts of Claude Code. */
    starts,
    gate: (name = 'gate') => gateAt(join(work, name)),
    /** The transcript that the CLI keeps of a conversation; every line must be complete. */
    transcript: (conversation: string): Json[] => {
      const text = readFileSync(transcriptOf(conversation), 'utf8');
      expect(text.endsWith('\n')).toBe(true);
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Json);
    },
    /** Deletes the transcript, as if the CLI had never had the conversation. */
    forget: (conversation: string): void => rmSync(transcriptOf(conversation)),
    /** The messages of the last request to the model. */
    shown: (): string => JSON.stringify(model.requests.at(-1)?.messages ?? []),
    session: (server: Server, name = 'a claude', more: object = {}): Promise<Session> =>
      server.session(name, {
        agent: { kind: 'claude' },
        workspace: { provider: 'directory', path: work },
        ...more,
      }),
  };
}

/** A command that waits until the test releases it. */
function gateAt(path: string) {
  const name = basename(path);
  const runs = (): number =>
    existsSync(`${path}.runs`) ? readFileSync(`${path}.runs`, 'utf8').length / 2 : 0;
  return {
    call: bash(`echo x >> ${name}.runs; until [ -e ${name} ]; do sleep 0.05; done; echo released`),
    /** How often it was started. */
    runs,
    begun: (times: number) => until(() => runs() === times, PATIENCE),
    release: () => writeFileSync(path, ''),
  };
}

export type ClaudeServerRig = Awaited<ReturnType<typeof claudeServerRig>>;

export type Part = 'Claude Code' | 'the worker' | 'the server' | 'all at once';

/** The parts that can be killed separately. */
export const parts = ['Claude Code', 'the server', 'the worker'] as const;

/** The counters after the death of an agent or of a node. */
export const counts = (part: Part): object =>
  part === 'Claude Code' ? { attempts: 2, crashes: 0 } : { attempts: 1, crashes: 1 };

/** The text of the conversation before anything is killed. */
export const FIRST = 'The word is banana.';

/** A session with a conversation, and a `kill` that ends one part of the setup with SIGKILL. */
export async function crashSetup(part: Part) {
  const claude = await claudeServerRig();
  const isCluster = part === 'the worker';
  const env = isCluster ? await sharedDatabase() : {};
  let server = await claude.server({ env, command: isCluster ? 'api' : 'up' });
  if (isCluster) {
    // Two, so that the other one takes over at once.
    const worker = (name: string) =>
      claude.server({ env, command: 'worker', dataDir: join(claude.home, name) });
    await Promise.all([worker('one'), worker('two')]);
  }
  const session = await claude.session(server);
  await done(server, session, [{ text: FIRST }]);
  return {
    claude,
    session,
    get server() {
      return server;
    },
    kill: async (): Promise<void> => {
      const agentPid = claude.starts().at(-1)?.pid ?? 0;
      if (part === 'the worker') process.kill(parentOf(agentPid), 'SIGKILL');
      if (part === 'Claude Code' || part === 'all at once') process.kill(agentPid, 'SIGKILL');
      if (part === 'the server' || part === 'all at once') {
        await server.kill();
        server = await claude.server();
      }
    },
  };
}

const parentOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));

export type CrashSetup = Awaited<ReturnType<typeof crashSetup>>;

async function sharedDatabase(): Promise<NodeJS.ProcessEnv> {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  return {
    BATON_DATABASE_URL: database.url,
    BATON_SECRET_KEY: Buffer.alloc(32, 3).toString('base64'),
    BATON_HOST_ID: 'one',
  };
}

/**
 * Checks after a crash that the run ended once, none of its processes is left, the CLI's transcript is
 * complete, and the next message continues the conversation.
 */
export async function whole(
  { claude, server, session }: Pick<CrashSetup, 'claude' | 'server' | 'session'>,
  run: string,
  said: readonly string[],
) {
  const ends = (await server.log(session.id)).filter(
    ({ type, runId }) => type === 'done' && runId === run,
  );
  expect(ends).toHaveLength(1);
  await until(() => claude.left().length === 0, PATIENCE);
  await done(server, session, [{ text: 'Here.' }]);
  for (const each of said) expect(claude.shown()).toContain(each);
  const conversations = new Set(claude.starts().map(({ conversation }) => conversation));
  expect(conversations.size).toBe(1);
  for (const each of conversations) expect(claude.transcript(each).length).toBeGreaterThan(0);
}

/** A clean stop, but without the grace period for runs. */
async function stop({ program }: Server): Promise<void> {
  if (!isAlive(program.pid)) return;
  process.kill(program.pid, 'SIGTERM');
  await until(() => program.stderr().includes('Stopping') || !isAlive(program.pid), PATIENCE);
  if (isAlive(program.pid)) process.kill(program.pid, 'SIGTERM');
  await program.exit;
}

export const say = (server: Server, session: Session, steps: readonly StepInput[], more = {}) =>
  server.send(session.id, scripted(steps), more);

export const ended = (server: Server, run: string): Promise<RunView> =>
  server.finished(run, PATIENCE.ms);

/** Executes a run that must succeed. */
export async function done(server: Server, session: Session, steps: readonly StepInput[]) {
  const run = await ended(server, await say(server, session, steps));
  expect(run).toMatchObject({ state: 'succeeded', error: null });
  return run;
}

export const approvals = async (server: Server, session: Session): Promise<Approval[]> =>
  (await server.call<{ items: Approval[] }>('GET', `/api/v1/approvals?sessionId=${session.id}`))
    .items;

/** The open questions, once there are `many` and the run waits for them. */
export async function allAsked(server: Server, session: Session, run: string, many: number) {
  let open: Approval[] = [];
  await until(async () => {
    open = (await approvals(server, session)).filter(({ state }) => state === 'pending');
    const { state, finishedAt, error } = await server.run(run);
    if (finishedAt !== null)
      throw new Error(`the run ended without asking: ${state} ${error?.message}`);
    return open.length >= many && state === 'waiting';
  }, PATIENCE);
  return open;
}

/** The single open question. */
export const asked = async (server: Server, session: Session, run: string): Promise<Approval> =>
  (await allAsked(server, session, run, 1))[0] as Approval;

export const answer = (server: Server, { id }: Approval, body: object): Promise<Approval> =>
  server.call('POST', `/api/v1/approvals/${id}`, body);

/** Payloads of a session's events of one type. */
export const payloadsOf = async (
  server: Server,
  session: Session,
  type: string,
): Promise<Record<string, Json>[]> =>
  (await server.log(session.id)).flatMap((event) =>
    event.type === type ? [event.payload as Record<string, Json>] : [],
  );

export const untilEvent = (
  server: Server,
  session: Session,
  type: string,
  holds: (payload: Record<string, Json>) => boolean = () => true,
): Promise<void> =>
  until(async () => (await payloadsOf(server, session, type)).some(holds), PATIENCE);
