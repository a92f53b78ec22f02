import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Session } from '../../src/contract/session.ts';
import { SECRETS } from '../../src/policy/masking/corpus.ts';
import { temporaryDirectory } from '../support/processes.ts';
import { Server } from '../support/server-rig.ts';
import { EventReader } from './event-reader.ts';

/** All files below a directory, except workspaces, where an agent may write anything. */
function filesBelow(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.includes('/workspaces/'));
}

/** Prints a secret that the command itself contains only in parts. */
const inHalves = (secret: string): string =>
  `printf %s ${secret.slice(0, 20)}; sleep 0.1; echo ${secret.slice(20)}`;

/** A recognisably long part of a secret, whose lines are stored separately. */
const partsOf = (secret: string): string[] =>
  secret.split('\n').filter((line) => line.length >= 12 && !line.includes('-----'));

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

test('[P4] [E8] no part of a secret is in database files, logs, streams or metrics, even if it comes in pieces', async () => {
  const dataDir = temporaryDirectory();
  const server = await Server.start({ dataDir, env: { BATON_LOG_LEVEL: 'trace' } });
  const sessions = await Promise.all(
    ['one', 'two', 'three', 'four'].map((name) => server.session(`secretive ${name}`)),
  );
  const readers = sessions.map(
    ({ id }) => new EventReader(`${server.url}/api/v1/sessions/${id}/events`),
  );
  const runs: string[] = [];
  for (const [i, { what, text }] of SECRETS.entries()) {
    const session = sessions[i % sessions.length] as Session;
    // Whole in the message and on one stream, and in two pieces on the other. The pieces are not in
    // the message as they are: nothing there would show that they belong together.
    const half = Math.floor(Buffer.byteLength(text) / 2);
    const encoded = Buffer.from(text).toString('base64');
    const pieces = `printf %s "$t" | head -c ${half}; sleep 0.08; printf %s "$t" | tail -c +${half + 1}; echo`;
    // In a command a pipe does not start a YAML block: a program may follow it.
    const whole = what.startsWith('YAML') ? '"$t"' : quoted(text);
    const command = `t=$(echo ${encoded} | base64 -d); printf %s ${whole}; echo; { ${pieces}; } >&2`;
    runs.push(await server.send(session.id, command, { metadata: { note: text } }));
  }
  for (const run of runs) {
    expect(await server.finished(run, 80_000)).toMatchObject({ state: 'succeeded' });
  }

  const textOf = async (path: string): Promise<string> => (await server.fetch('GET', path)).text();
  const ofEach = async (path: string): Promise<string> =>
    (await Promise.all(sessions.map(({ id }) => textOf(`/api/v1/sessions/${id}${path}`)))).join();
  const invocations = await Promise.all(
    runs.map((run) => textOf(`/api/v1/runs/${run}/invocations`)),
  );
  const seen: Record<string, string> = {
    stream: JSON.stringify(readers.map((reader) => reader.events)),
    export: await ofEach('/export'),
    session: await ofEach(''),
    runs: await ofEach('/runs?limit=200'),
    invocations: invocations.join(),
    metrics: await textOf('/metrics'),
  };
  await Promise.all(readers.map((reader) => reader.stop()));
  expect(await server.stop()).toBe(0);
  seen['stdout'] = server.program.stdout();
  seen['stderr'] = server.program.stderr();
  for (const path of filesBelow(dataDir)) seen[path] = readFileSync(path, 'latin1');

  // The reader did see the output.
  expect(seen['stream']).toContain('***GITHUB_TOKEN***');
  for (const { what, secret } of SECRETS) {
    for (const part of partsOf(secret)) {
      for (const [where, text] of Object.entries(seen)) {
        if (text.includes(part)) throw new Error(`${what} is in ${where}`);
      }
    }
  }
}, 120_000);

test('[P4] the agent gets the original of a masked message, even after a restart', async () => {
  const dataDir = temporaryDirectory();
  const secret = SECRETS[0]?.secret as string;
  const file = join(temporaryDirectory(), 'seen-by-the-agent');
  const server = await Server.start({ dataDir });
  const session = await server.session('original');
  await server.call('POST', `/api/v1/sessions/${session.id}/hold`);
  const run = await server.send(session.id, `printf %s ${secret} > ${file}`);
  expect(await server.stop()).toBe(0);
  const again = await Server.start({ dataDir });
  expect((await again.run(run)).message).not.toContain(secret);
  await again.call('POST', `/api/v1/sessions/${session.id}/resume`);
  await again.finished(run);
  expect(readFileSync(file, 'utf8')).toBe(secret);
  await again.stop();
}, 60_000);

test('[P4] a secret at the point where long output is truncated is masked everywhere', async () => {
  const server = await Server.start({ dataDir: temporaryDirectory() });
  const session = await server.session('long output');
  const token = SECRETS[0]?.secret as string;
  const key = SECRETS.find(({ what }) => what === 'private key, RSA')?.secret as string;
  for (const secret of [token, key]) {
    const encoded = Buffer.from(secret).toString('base64');
    // The result and stderr keep 64 Ki characters, the message 128 Ki: each is cut 5 characters into it.
    const ends = [64, 128].map((ki) => ki * 1024 - secret.length + 5);
    const print = (rest = 0): string => `printf %s "$t"; head -c ${rest} /dev/zero | tr '\\0' ' '`;
    for (const end of ends) {
      const command = `t=$(echo ${encoded} | base64 -d); { ${print(end)}; } >&2; ${print(end)}`;
      const run = await server.send(session.id, command);
      const finished = await server.finished(run, 60_000);
      const stored = await (await server.fetch('GET', `/api/v1/runs/${run}/invocations`)).text();
      const log = await (await server.fetch('GET', `/api/v1/sessions/${session.id}/export`)).text();
      const seen = { result: JSON.stringify(finished), stored, log };
      for (const part of partsOf(secret)) {
        for (const [where, text] of Object.entries(seen)) {
          if (text.includes(part.slice(-16))) throw new Error(`${where} has ${end} ${part}`);
        }
      }
    }
  }
  expect(await server.stop()).toBe(0);
}, 120_000);

test('[P4] known secrets, broad masks and custom patterns apply to session logs and the server log', async () => {
  const dataDir = temporaryDirectory();
  const known = { MY_API_KEY: 'zebra crossing; 4711', SOME_NAME: 'zebra of another kind' };
  const server = await Server.start({
    dataDir,
    env: {
      ...known,
      BATON_AGENT_ENV: Object.keys(known).join(','),
      BATON_MASK_BROAD: 'true',
      BATON_MASK_PATTERNS: 'acme-[a-z]{2,4}-[0-9]{4,}, zulu_\\d{8}',
      BATON_LOG_LEVEL: 'trace',
    },
  });
  const session = await server.session('known');
  const key = readFileSync(join(dataDir, 'secret-key'), 'utf8').trim();
  const run = await server.send(
    session.id,
    [
      // No command may name its file, but an agent may get the value from elsewhere.
      ...[key, Buffer.from(key, 'base64').toString('hex')].map(inHalves),
      'for p in $MY_API_KEY; do printf "%s " "$p"; sleep 0.1; done; echo',
      'echo "$SOME_NAME"; printf %s ABCDEFGHIJ; sleep 0.1; echo 0123456789; echo acme-eu-12345 zulu_12345678',
    ].join('\n'),
  );
  await server.finished(run, 60_000);
  // A server error that quotes the request.
  await server.fetch(
    'GET',
    `/api/v1/sessions?name=${encodeURIComponent(known.MY_API_KEY)}&x=acme-eu-12345`,
  );
  const log = await (await server.fetch('GET', `/api/v1/sessions/${session.id}/export`)).text();
  expect(await server.stop()).toBe(0);
  const seen = log + server.program.stderr();
  expect(log).toContain(known.SOME_NAME);
  for (const secret of [
    key,
    Buffer.from(key, 'base64').toString('hex'),
    known.MY_API_KEY,
    'ABCDEFGHIJ0123456789',
    'acme-eu-12345',
    'zulu_12345678',
  ]) {
    expect(seen).not.toContain(secret);
  }
  expect(log).toContain('***AWS_ACCESS_KEY***');
}, 120_000);
