import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import type { Config } from '../../config/config.ts';
import { isMissing } from '../../config/credentials.ts';
import type { Finding } from '../../contract/finding.ts';

const GIB = 1024 ** 3;
/** With less free space than this, the next large response might not be stored. */
const DISK_PROBLEM = 0.1 * GIB;
const DISK_NOTE = GIB;
const ANSWER_MS = 3000;

export function checkNode(version: string): Finding {
  const good = Number.parseInt(version, 10) >= 24;
  return good
    ? { name: 'node', state: 'ok', text: `Node ${version}` }
    : {
        name: 'node',
        state: 'problem',
        text: `Node ${version} is too old`,
        fix: 'install Node 24 or newer (https://nodejs.org)',
      };
}

export async function checkDataDirectory(path: string): Promise<Finding> {
  const name = 'data directory';
  try {
    const { mode } = await stat(path);
    await access(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if ((mode & 0o077) === 0) return { name, state: 'ok', text: path };
    const text = `${path}: other users can open it`;
    return { name, state: 'note', text, fix: `chmod 700 ${path}` };
  } catch (error) {
    if (isMissing(error)) {
      return {
        name,
        state: 'note',
        text: `${path}: does not exist yet`,
        fix: 'the first start creates it',
      };
    }
    const text = `${path}: ${(error as Error).message}`;
    return { name, state: 'problem', text, fix: 'make it readable and writable for your user' };
  }
}

/** A secret's file must exist and be readable only by its owner. */
export async function checkSecretFile(
  name: string,
  path: string,
  variable: string,
  given: boolean,
): Promise<Finding> {
  if (given) return { name, state: 'ok', text: `from ${variable}` };
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) === 0) return { name, state: 'ok', text: path };
    const text = `${path}: other users can read it`;
    return { name, state: 'problem', text, fix: `chmod 600 ${path}` };
  } catch (error) {
    if (isMissing(error)) {
      return { name, state: 'note', text: 'does not exist yet', fix: 'the first start creates it' };
    }
    const text = `${path}: ${(error as Error).message}`;
    return { name, state: 'problem', text, fix: 'make it readable for your user' };
  }
}

/** The port must be free, or in use by a Baton server that is ready. */
export async function checkPort({ host, port }: Pick<Config, 'host' | 'port'>): Promise<Finding> {
  const name = 'port';
  if (port === 0) return { name, state: 'ok', text: 'any free port will be used' };
  const failure = await tryListen(host, port);
  if (failure === undefined) return { name, state: 'ok', text: `${host}:${port} is free` };
  if (failure !== 'EADDRINUSE') {
    const text = `cannot listen on ${host}:${port} (${failure})`;
    return { name, state: 'problem', text, fix: 'choose another address with --host and --port' };
  }
  const health = await healthOf(host, port);
  if (health === undefined) {
    const text = `another program uses ${host}:${port}`;
    return { name, state: 'problem', text, fix: 'stop it, or choose another port with --port' };
  }
  return health === 'ready'
    ? { name, state: 'ok', text: `a running Baton uses ${host}:${port}; it is ready` }
    : {
        name,
        state: 'problem',
        text: `a running Baton uses ${host}:${port}, but it is not ready (${health})`,
        fix: 'see its log',
      };
}

function tryListen(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return new Promise((done) => {
    server.once('error', (error: NodeJS.ErrnoException) => done(error.code ?? error.message));
    server.listen({ host, port }, () => server.close(() => done(undefined)));
  });
}

async function healthOf(host: string, port: number): Promise<string | undefined> {
  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' };
  const reached = everywhere[host] ?? host;
  const name = reached.includes(':') ? `[${reached}]` : reached;
  try {
    const answer = await fetch(`http://${name}:${port}/readyz`, {
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const body = (await answer.json()) as { status?: unknown; checks?: Record<string, unknown> };
    if (body.status === 'ready') return 'ready';
    if (body.status !== 'not_ready') return undefined;
    const open = Object.entries(body.checks ?? {}).filter(([, value]) => value !== true);
    return open.map(([check, why]) => `${check}: ${why}`).join(', ');
  } catch {
    return undefined;
  }
}

export async function checkIsolation(env: NodeJS.ProcessEnv): Promise<Finding> {
  const name = 'isolation';
  const path = await findProgram('bwrap', searchPath(env));
  const tool = path === undefined ? 'bwrap is not installed' : `bwrap is at ${path}`;
  return { name, state: 'note', text: `agents run without isolation in this version; ${tool}` };
}

export async function checkDisk(path: string): Promise<Finding> {
  const name = 'disk';
  const { bavail, bsize } = await statfs(await existingPart(path));
  const free = bavail * bsize;
  const text = `${(free / GIB).toFixed(1)} GiB free`;
  if (free >= DISK_NOTE) return { name, state: 'ok', text };
  const state = free < DISK_PROBLEM ? 'problem' : 'note';
  return { name, state, text, fix: 'free some space, or choose another disk with --data-dir' };
}

async function existingPart(path: string): Promise<string> {
  const there = await stat(path).catch(() => undefined);
  return there !== undefined || dirname(path) === path ? path : existingPart(dirname(path));
}

const searchPath = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '');

async function findProgram(
  name: string,
  directories: readonly string[],
): Promise<string | undefined> {
  for (const directory of directories) {
    const path = join(directory, name);
    const [file] = await Promise.allSettled([stat(path), access(path, constants.X_OK)]).then(
      ([stats, allowed]) =>
        stats.status === 'fulfilled' && allowed.status === 'fulfilled' && stats.value.isFile()
          ? [path]
          : [],
    );
    if (file !== undefined) return file;
  }
  return undefined;
}
