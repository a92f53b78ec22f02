import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { findBinaries, parentForData, type User, userForServer } from './postgres-binaries.ts';

export interface PostgresServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** Starts it again after `stop`, on the same port with the same data. */
  start(): Promise<void>;
  /** `fast` ends connections and flushes everything to disk; `immediate` is a crash. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and removes its data. */
  remove(): Promise<void>;
}

export interface ServerOptions {
  /** Settings for the command line, such as `{ max_connections: '20' }`. */
  settings?: Record<string, string>;
}

/** A separate, real PostgreSQL server on a free loopback port, with its data in a temp directory. */
export async function startPostgres({
  settings = {},
}: ServerOptions = {}): Promise<PostgresServer> {
  const user = userForServer();
  const directory = mkdtempSync(join(parentForData(user), 'baton-postgres-'));
  const data = join(directory, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user.uid !== undefined && user.gid !== undefined) {
    chownSync(directory, user.uid, user.gid);
    chownSync(data, user.uid, user.gid);
  }
  const binaries = findBinaries(user, directory);
  const port = await freePort();
  await run(
    binaries.initdb,
    [
      `--pgdata=${data}`,
      '--auth=trust',
      '--username=postgres',
      '--encoding=UTF8',
      '--no-locale',
      '--no-sync',
    ],
    user,
  );
  const all: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...settings,
  };
  const args = ['-D', data, '-p', String(port)];
  for (const [name, value] of Object.entries(all)) args.push('-c', `${name}=${value}`);

  let server: Running | undefined;
  const stop = async (mode: 'fast' | 'immediate' = 'fast') => {
    const stopping = server;
    server = undefined;
    await stopping?.stop(mode);
  };
  let starting: Promise<void> | undefined;
  // A test may ask again before the server is up.
  const start = (): Promise<void> => {
    starting ??= (async () => {
      server ??= await launch(binaries.postgres, args, user, directory);
    })().finally(() => {
      starting = undefined;
    });
    return starting;
  };
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    remove: async () => {
      await stop('immediate');
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

interface Running {
  stop(mode: 'fast' | 'immediate'): Promise<void>;
}

async function launch(
  binary: string,
  args: string[],
  user: User,
  directory: string,
): Promise<Running> {
  // In its own process group: Ctrl-C ends the tests first, and their clean-up ends the server.
  const server = spawn(binary, args, {
    ...user,
    cwd: directory,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const watchdog = watch(server, directory);
  const exited = once(server, 'exit');
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes('ready to accept connections')) resolve();
    });
    server.on('error', reject);
    server.on('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}:\n${log}`)));
  });
  return {
    stop: async (mode) => {
      server.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await exited;
      watchdog.kill('SIGKILL');
    },
  };
}

/**
 * If the tests are killed, the watchdog's input ends, and it kills the server and removes the data.
 */
function watch(server: ChildProcess, directory: string): ChildProcess {
  const script = `
    cat >/dev/null
    kill -QUIT "$1"
    for _ in $(seq 100); do kill -0 "$1" || break; sleep 0.1; done
    rm -rf "$2"`;
  return spawn('sh', ['-c', script, 'sh', String(server.pid), directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
}

async function run(binary: string, args: string[], user: User): Promise<void> {
  const child = spawn(binary, args, { ...user, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${binary} ended with ${code}:\n${output}`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
