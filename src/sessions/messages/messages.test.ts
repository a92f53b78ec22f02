import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { MessageRequest } from '../../contract/message.ts';
import type { Masker } from '../../policy/masking/masker.ts';
import { aesBox } from '../../secrets/aes-box.ts';
import { checkAdmission } from '../rules/admission-check.ts';
import type { ServiceParts } from '../service-parts.ts';
import {
  type AdmissionParts,
  admissionOf,
  steerOf,
  storeMessage,
  takenOverBy,
} from './messages.ts';

const partsOf = (key: number, sessionId = 'session'): AdmissionParts => ({
  sessionId,
  by: ADMIN,
  body: MessageRequest.parse({ message: 'log in with password=hunter2secret9' }),
  runId: 'run',
  stored: { message: 'log in with password=***MASKED***', original: 'sealed' },
  files: [],
  idempotencyKey: 'key',
  maskJson: (value) => value,
  box: aesBox(Buffer.alloc(32, key)),
});

test.each([
  ['a message', (parts: AdmissionParts) => admissionOf(parts).bodyHash],
  ['a steer', (parts: AdmissionParts) => steerOf(parts, 100).bodyHash],
])('[P4] the digest of %s does not reveal the secret in it', (_what, digestOf) => {
  const digest = digestOf(partsOf(1));
  expect(digest).toBe(digestOf(partsOf(1)));
  expect(digest).not.toBe(digestOf(partsOf(2)));
  expect(digest).not.toBe(digestOf(partsOf(1, 'another session')));
  const body = JSON.stringify(partsOf(1).body);
  for (const form of ['hex', 'base64', 'base64url'] as const)
    expect(digest).not.toBe(createHash('sha256').update(body).digest(form));
});

test('[Q10] the digest covers the whole message, not only its text', () => {
  const digestOf = (more: object) => {
    const parts = partsOf(1);
    return admissionOf({ ...parts, body: MessageRequest.parse({ ...parts.body, ...more }) })
      .bodyHash;
  };
  const attachments = [{ name: 'a.txt', mediaType: 'text/plain', data: 'YQ==' }];
  const digests = [
    {},
    { onBusy: 'interrupt' },
    { allowedTools: ['Read'] },
    { runAt: '2030-01-01T00:00:00.000Z' },
    { attachments },
  ].map(digestOf);
  expect(new Set(digests).size).toBe(digests.length);
});

test('[P2] a message that another person edits or retries has their channels, and none of the sender’s', () => {
  const sent = { message: 'ls', original: false, channel: 'cli', sender: 'taro' } as const;
  const taken = takenOverBy(ADMIN, { ...sent, through: ['line'] });
  expect(taken).toEqual({ ...sent, channel: 'api', sender: 'admin' });
  const through = ['webhook'] as const;
  expect(takenOverBy({ ...ADMIN, through }, sent)).toMatchObject({ through });
});

/** The most that is done between two turns of other work. */
async function mostInOneTurn(work: (did: (amount: number) => void) => Promise<unknown>) {
  let [most, now] = [0, 0];
  const turn = (): void => {
    now = 0;
    again = setImmediate(turn);
  };
  let again = setImmediate(turn);
  await work((amount) => {
    now += amount;
    most = Math.max(most, now);
  });
  clearImmediate(again);
  return most;
}

const LENGTH = 200_000;

test.each([
  ['agents', false, 16 * 1024],
  ['a shell', true, LENGTH],
])('[P4] other work continues between the long messages to %s', async (_to, runsInShell, piece) => {
  const box = aesBox(Buffer.alloc(32, 1));
  const most = await mostInOneTurn((did) => {
    const masked = (text: string): string => {
      did(text.length);
      return text;
    };
    const masker: Masker = {
      mask: masked,
      maskCall: masked,
      stream: () => ({ push: masked, end: () => '' }),
      hasMask: () => false,
    };
    const store = () =>
      storeMessage({ userId: 'u' }, '-'.repeat(LENGTH), 'session', { masker, box, runsInShell });
    return Promise.all(Array.from({ length: 20 }, store));
  });
  expect(most).toBe(piece);
});

test('[P3] other work continues between checks of long commands', async () => {
  const most = await mostInOneTurn((did) => {
    const rules = { session: null, channels: {}, global: null, workspacePath: null };
    const store = { rulesFor: async () => ({ ...rules, agent: { kind: 'shell' } }) };
    const judge = (): null => {
      did(1);
      return null;
    };
    const ownFiles = { judge };
    const parts = { store, ownFiles, home: '/' } as unknown as ServiceParts;
    const message = { sessionId: 'session', message: 'true '.repeat(10_000) };
    return Promise.all(Array.from({ length: 20 }, () => checkAdmission(parts, ADMIN, message)));
  });
  expect(most).toBe(1);
});
