import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isBatonError } from '../contract/errors.ts';
import { sqliteStore } from '../storage/sqlite/store.ts';
import { adminTokenOf } from './admin-token.ts';
import { aesBox } from './aes-box.ts';
import { secretKeyOf } from './key.ts';
import { checkKey, type Settings } from './key-check.ts';

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'baton-secrets-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

const refusal = async (made: Promise<unknown>): Promise<{ code: string; message: string }> => {
  const error = await made.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isBatonError(error)) throw new Error('It was not refused.', { cause: error });
  return { code: error.code, message: error.message };
};

test('[X5] what is sealed opens with the same key and context only', () => {
  const box = aesBox(randomBytes(32));
  for (const plain of ['', 'a', 'こんにちは 👋', 'x'.repeat(100_000)]) {
    const sealed = box.seal(plain, 'run 1');
    expect(sealed).toMatch(/^v1\.[\w-]+$/);
    expect(box.open(sealed, 'run 1')).toBe(plain);
    expect(() => box.open(sealed, 'run 2')).toThrow(
      expect.objectContaining({ code: 'key_mismatch' }),
    );
    expect(() => aesBox(randomBytes(32)).open(sealed, 'run 1')).toThrow(
      expect.objectContaining({ code: 'key_mismatch' }),
    );
  }
});

test('[X5] sealing the same text again gives a different result', () => {
  const box = aesBox(randomBytes(32));
  const sealed = new Set(Array.from({ length: 50 }, () => box.seal('same', 'here')));
  expect(sealed.size).toBe(50);
});

test('[P4] a digest is the same for the same text, context and key only', () => {
  const box = aesBox(randomBytes(32));
  const digest = box.digest('secret', 'here');
  expect(box.digest('secret', 'here')).toBe(digest);
  expect(box.digest('secret', 'there')).not.toBe(digest);
  expect(box.digest('secret2', 'here')).not.toBe(digest);
  expect(aesBox(randomBytes(32)).digest('secret', 'here')).not.toBe(digest);
});

test('[X5] what was changed, cut or made elsewhere does not open', async () => {
  const box = aesBox(randomBytes(32));
  const sealed = box.seal('secret', 'here');
  const bytes = Buffer.from(sealed.slice(3), 'base64url');
  const changed = bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte));
  const texts = [
    `v1.${Buffer.from(changed).toString('base64url')}`,
    sealed.slice(0, -4),
    // A tag cut short is easier to guess.
    `v1.${bytes.subarray(0, 20).toString('base64url')}`,
    sealed.replace('v1.', 'v2.'),
    'v1.',
    '',
  ];
  for (const text of texts) {
    expect(await refusal((async () => box.open(text, 'here'))())).toMatchObject({
      code: 'key_mismatch',
    });
  }
});

test('[X5] the key is made once, for its owner only, and found again', async () => {
  const dataDir = await directory();
  const key = await secretKeyOf(undefined, dataDir);
  expect(key).toHaveLength(32);
  expect(await secretKeyOf(undefined, dataDir)).toEqual(key);
  expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600);
  expect(await readFile(join(dataDir, 'secret-key'), 'utf8')).toBe(`${key.toString('base64')}\n`);
  const given = randomBytes(32);
  expect(await secretKeyOf(given, dataDir)).toBe(given);
});

test('[X5] [X1] starts at the same time get the same key and token, and leave nothing else', async () => {
  const dataDir = await directory();
  const keys = await Promise.all(Array.from({ length: 20 }, () => secretKeyOf(undefined, dataDir)));
  const tokens = await Promise.all(
    Array.from({ length: 20 }, () => adminTokenOf(undefined, dataDir)),
  );
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
  expect(new Set(tokens).size).toBe(1);
  expect((await readdir(dataDir)).sort()).toEqual(['admin-token', 'secret-key']);
});

test('[X1] the admin token is made once, for its owner only, and found again', async () => {
  const dataDir = await directory();
  const token = await adminTokenOf(undefined, dataDir);
  expect(token).toMatch(/^baton_admin_[\w-]{43}$/);
  expect(await adminTokenOf(undefined, dataDir)).toBe(token);
  expect((await stat(join(dataDir, 'admin-token'))).mode & 0o777).toBe(0o600);
  expect(await adminTokenOf('a given token 123', dataDir)).toBe('a given token 123');
});

test.each([
  ['secret-key', secretKeyOf, Buffer.alloc(32).toString('base64')],
  ['admin-token', adminTokenOf, 'baton_admin_0123456789'],
] as const)('[X1] [X5] a %s that others can read is refused', async (name, read, text) => {
  const dataDir = await directory();
  const path = join(dataDir, name);
  await writeFile(path, text, { mode: 0o600 });
  await read(undefined, dataDir);
  await chmod(path, 0o640);
  const { code, message } = await refusal(read(undefined, dataDir));
  expect(code).toBe('secret_file');
  expect(message).toContain(path);
  expect(message).toContain('0640');
  expect(message).not.toContain(text);
});

test.each([
  ['secret-key', secretKeyOf, 'c2hvcnQ='],
  ['secret-key', secretKeyOf, `${'x'.repeat(43)}!`],
  ['secret-key', secretKeyOf, ''],
  ['admin-token', adminTokenOf, 'short'],
  ['admin-token', adminTokenOf, ''],
] as const)('a damaged %s is refused and stays as it is', async (name, read, text) => {
  const dataDir = await directory();
  await writeFile(join(dataDir, name), text, { mode: 0o600 });
  expect(await refusal(read(undefined, dataDir))).toMatchObject({ code: 'secret_file' });
  expect(await readFile(join(dataDir, name), 'utf8')).toBe(text);
});

async function database(): Promise<Settings> {
  const store = await sqliteStore({ path: join(await directory(), 'baton.db') });
  onTestFinished(() => store.close());
  return store;
}

test('[X5] a node with another key is refused, with what to do about it', async () => {
  const settings = await database();
  const key = randomBytes(32);
  await checkKey(aesBox(key), settings);
  await checkKey(aesBox(key), settings);
  const { code, message } = await refusal(checkKey(aesBox(randomBytes(32)), settings));
  expect(code).toBe('key_mismatch');
  expect(message).toContain('BATON_SECRET_KEY');
  await checkKey(aesBox(key), settings);
});

test('[X5] of two first starts with different keys one is refused', async () => {
  const settings = await database();
  const starts = [1, 2].map(() => checkKey(aesBox(randomBytes(32)), settings));
  const ends = await Promise.allSettled(starts);
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});
