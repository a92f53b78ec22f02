import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  credentialsPath,
  readCredentials,
  removeCredentials,
  storeCredentials,
} from '../../config/credentials.ts';
import { UserError } from '../../config/user-error.ts';
import { findConnection } from './connection.ts';

function rig(
  files: { login?: object | string; address?: string; pid?: number; token?: string } = {},
) {
  const root = mkdtempSync(join(tmpdir(), 'baton-connection-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const dataDir = join(root, 'data');
  const env = { XDG_CONFIG_HOME: join(root, 'config'), BATON_DATA_DIR: dataDir };
  mkdirSync(dataDir);
  if (files.address)
    writeFileSync(join(dataDir, 'address'), `${files.address}\n${files.pid ?? process.pid}\n`);
  if (files.token) writeFileSync(join(dataDir, 'admin-token'), `${files.token}\n`);
  if (files.login) {
    mkdirSync(join(root, 'config', 'baton'), { recursive: true });
    const text = typeof files.login === 'string' ? files.login : JSON.stringify(files.login);
    writeFileSync(credentialsPath(env), text);
  }
  return { env, dataDir };
}

function refusal(run: () => unknown): UserError {
  try {
    run();
  } catch (error) {
    if (error instanceof UserError) return error;
  }
  throw new Error('was accepted');
}

const login = { url: 'https://far.example', token: 'far-token' };
const near = { address: 'http://127.0.0.1:9', token: 'near-token' };

test('[C1] flags and variables come first, then the login, then the data directory', () => {
  const { env, dataDir } = rig({ login, ...near });
  const variables = { ...env, BATON_URL: 'http://b.example/', BATON_TOKEN: 'b-token' };
  expect(findConnection({ url: 'http://a.example' }, variables)).toMatchObject({
    url: 'http://a.example',
    token: 'b-token',
  });
  expect(findConnection({}, variables)).toMatchObject({
    url: 'http://b.example',
    token: 'b-token',
  });
  expect(findConnection({}, env)).toMatchObject(login);
  expect(findConnection({ dataDir }, variables)).toMatchObject({ url: near.address });
  expect(findConnection({}, rig(near).env)).toMatchObject({
    url: near.address,
    token: near.token,
  });
});

test('[C1] a URL without a token uses only a token of the same server', () => {
  const { env } = rig({ login, ...near });
  expect(findConnection({ url: login.url }, env).token).toBe('far-token');
  expect(findConnection({ url: near.address }, env).token).toBe('near-token');
  const { message, exitCode } = refusal(() => findConnection({ url: 'http://other.example' }, env));
  expect(message).toContain('There is no token for http://other.example');
  expect(exitCode).toBe(2);
});

test('[C1] BATON_ADMIN_TOKEN overrides the token in the data directory', () => {
  const { env } = rig({ address: near.address, token: 'old-token' });
  const given = { ...env, BATON_ADMIN_TOKEN: 'token-from-the-environment' };
  expect(findConnection({}, given).token).toBe('token-from-the-environment');
});

test('[C1] without a server: three lines that say how to start one, exit code 3', () => {
  const { env, dataDir } = rig();
  const { message, exitCode } = refusal(() => findConnection({}, env));
  expect(message.split('\n')).toHaveLength(3);
  expect(message).toContain(dataDir);
  expect(message).toMatch(/"npm start" or "baton up"/);
  expect(exitCode).toBe(3);
});

test.each([['ftp://x'], ['http://user:secret@h'], ['nonsense'], ['http://h/?token=secret']])(
  '[C1] BATON_URL=%s is refused and not shown',
  (url) => {
    const { message, exitCode } = refusal(() =>
      findConnection({}, { ...rig().env, BATON_URL: url }),
    );
    expect(message).toContain('BATON_URL has an invalid value');
    expect(message).not.toContain('secret');
    expect(exitCode).toBe(2);
  },
);

test('[C1] a stored login is readable by its owner only, and can be replaced and removed', () => {
  const { env } = rig();
  const path = credentialsPath(env);
  expect(readCredentials(path)).toBeUndefined();
  storeCredentials(path, login);
  storeCredentials(path, { ...login, token: 'newer' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ ...login, token: 'newer' });
  expect(readCredentials(path)).toEqual({ ...login, token: 'newer' });
  expect(removeCredentials(path)).toBe(true);
  expect(removeCredentials(path)).toBe(false);
});

test.each([['{'], ['{}'], ['{"url":"http://h","token":""}']])(
  '[C1] the error about a damaged login %s names the file but not its content',
  (text) => {
    const { env } = rig({ login: text });
    const { message } = refusal(() => findConnection({}, env));
    expect(message).toContain(`The stored login cannot be read: ${credentialsPath(env)}`);
    expect(message).toContain('baton login');
  },
);

test('a relative XDG_CONFIG_HOME is ignored, as its specification says', () => {
  expect(credentialsPath({ XDG_CONFIG_HOME: 'here' })).toMatch(/\/\.config\/baton\//);
});

test('[X1] the address of a server that was killed is not used: another program may listen there now', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const { env } = rig({ ...near, pid: dead.pid as number });
  expect(() => findConnection({}, env)).toThrow(/^No Baton server is running here\./);
});
