import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ADMIN } from '../../../test/support/service-rig.ts';
import { MessageRequest } from '../../contract/message.ts';
import { aesBox } from '../../secrets/aes-box.ts';
import { type AdmissionParts, admissionOf, steerOf } from './messages.ts';

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
