import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testRuntime } from '../../../test/support/local-runtime.ts';
import { temporaryDirectory } from '../../../test/support/processes.ts';
import { ADMIN, serviceRig } from '../../../test/support/service-rig.ts';
import { AttachmentUpload } from '../../contract/attachment.ts';
import { ATTACHMENTS_BYTES } from '../../contract/limits.ts';
import { MessageRequest } from '../../contract/message.ts';
import { safeName } from './attachments.ts';
import { writeAttachments } from './write-attachments.ts';

const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex');

test.each([
  ['notes.txt', 'notes.txt'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\a b.doc', 'a b.doc'],
  ['..', 'file'],
  ['.ssh', '_ssh'],
  ['-rf', '_rf'],
  ['a\u001b[2Jb\n.txt', 'a__2Jb_.txt'],
  ['写真.png', '写真.png'],
  [`${'x'.repeat(250)}.jpeg`, `${'x'.repeat(80)}.jpeg`],
])('[A11] the name %j becomes %j', (given, safe) => {
  expect(safeName(given)).toBe(safe);
});

test('[A11] invalid base64 is refused', () => {
  for (const data of ['abc', 'ab!=', 'a===', '=abc', `${'A'.repeat(65536)}*AAA`]) {
    expect(AttachmentUpload.safeParse({ name: 'a', data }).success, data.slice(0, 9)).toBe(false);
  }
  expect(AttachmentUpload.safeParse({ name: 'a', data: 'A'.repeat(1 << 20) }).success).toBe(true);
});

describe('[A11] files with a message', () => {
  test('are in the workspace before the agent starts, readable by its user only', async () => {
    const rig = await serviceRig();
    const { id } = await rig.session('files');
    const attachments = [
      { name: 'a/b.txt', data: base64('one') },
      { name: 'B.TXT', data: base64('two') },
      { name: 'shot', data: base64(PNG) },
    ];
    const run = await rig.send(id, 'cd .baton/attachments/*; cat b.txt 2-B.TXT; umask', {
      attachments,
    });
    expect(await rig.finished(run)).toMatchObject({ state: 'succeeded' });
    const { workspace, lastResponse } = await rig.services.sessions.get(ADMIN, id);
    expect(lastResponse).toContain('onetwo');
    const directory = join(workspace.path ?? '', '.baton/attachments', run);
    expect(statSync(join(directory, 'b.txt')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(directory, 'shot'))).toEqual(PNG);
    expect(await rig.store.get(run)).toMatchObject({
      payload: { attachments: [{ bytes: 3 }, { name: '2-B.TXT' }, { mediaType: 'image/png' }] },
    });
    const kept = await rig.store.readAttachments(run);
    expect(JSON.stringify(kept)).not.toContain(base64('one'));
    const again = await rig.services.runs.retry(ADMIN, run);
    expect(await rig.finished(again.id)).toMatchObject({ state: 'succeeded' });
    await rig.services.sessions.remove(ADMIN, id);
    expect(await rig.store.readAttachments(run)).toEqual([]);
  });

  test('are refused if too large in total, or not the image type they claim to be', async () => {
    const { services } = await serviceRig({ executes: false });
    const send = (attachments: object[]) => {
      const body = MessageRequest.parse({ message: 'x', attachments });
      return services.messages.send(ADMIN, crypto.randomUUID(), body, null);
    };
    const half = base64(Buffer.alloc(ATTACHMENTS_BYTES / 2 + 1));
    await expect(
      send([
        { name: 'a', data: half },
        { name: 'b', data: half },
      ]),
    ).rejects.toMatchObject({
      code: 'payload_too_large',
      details: { field: 'attachments' },
    });
    const png = { name: 'a.png', mediaType: 'image/png', data: base64('text') };
    await expect(send([png])).rejects.toMatchObject({
      code: 'invalid_request',
      details: { field: 'attachments.0.mediaType' },
    });
  });

  test('are never written through a link in the workspace', async () => {
    const file = { name: 'a.txt', mediaType: 'text/plain', content: Buffer.from('mine') };
    const filesOf = (workspace: string) => testRuntime(workspace).files;
    const outside = temporaryDirectory();
    writeFileSync(join(outside, 'a.txt'), 'theirs');
    for (const link of ['.baton', '.baton/attachments', '.baton/attachments/run']) {
      const workspace = temporaryDirectory();
      mkdirSync(join(workspace, link, '..'), { recursive: true });
      symlinkSync(outside, join(workspace, link));
      await expect(writeAttachments(filesOf(workspace), 'run', [file]), link).rejects.toThrow(
        'directory',
      );
    }
    const workspace = temporaryDirectory();
    mkdirSync(join(workspace, '.baton/attachments/run'), { recursive: true });
    symlinkSync(join(outside, 'a.txt'), join(workspace, '.baton/attachments/run/a.txt'));
    await writeAttachments(filesOf(workspace), 'run', [file]);
    expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('theirs');
    expect(readFileSync(join(workspace, '.baton/attachments/run/a.txt'), 'utf8')).toBe('mine');
  });
});
