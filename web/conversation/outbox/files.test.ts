import { expect, test } from 'vitest';
import { AttachmentUpload } from '../../../src/contract/attachment.ts';
import { ATTACHMENTS_BYTES } from '../../../src/contract/limits.ts';
import { base64, joined, pick } from './files.ts';

test('[A11] files are read in the format that the server accepts', async () => {
  const { files, trouble } = await pick([
    new File(['hello'], 'a.txt', { type: 'text/plain;charset=utf-8' }),
    new File([], ''),
  ]);
  expect(trouble).toBeNull();
  expect(files).toMatchObject([
    { name: 'a.txt', mediaType: 'text/plain', bytes: 5, data: 'aGVsbG8=' },
    { name: 'file', mediaType: 'application/octet-stream', bytes: 0, data: '' },
  ]);
  for (const { name, mediaType, data } of files) AttachmentUpload.parse({ name, mediaType, data });
});

test('base64 is correct across pieces', () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => i % 251);
  expect(base64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
});

test('[A11] files that are too many or too large are left out and reported', async () => {
  const small = Array.from({ length: 11 }, (_, i) => new File(['x'], `${i}`));
  const many = await pick(small);
  expect(many.files).toHaveLength(10);
  expect(many.trouble).toEqual({ is: 'many' });
  const large = await pick([new File([new Uint8Array(ATTACHMENTS_BYTES + 1)], 'big')]);
  expect(large).toEqual({ files: [], trouble: { is: 'large' } });
});

test('[A11] files picked earlier count towards the limits', () => {
  const file = (id: string, bytes: number) => ({
    id,
    name: id,
    mediaType: 'text/plain',
    bytes,
    data: '',
  });
  const small = Array.from({ length: 9 }, (_, i) => file(`${i}`, 1));
  const both = joined(small, [file('a', 1), file('b', 1)]);
  expect(both.files.map(({ id }) => id).at(-1)).toBe('a');
  expect(both.trouble).toEqual({ is: 'many' });
  const large = joined([file('a', ATTACHMENTS_BYTES - 1)], [file('b', 2), file('c', 1)]);
  expect(large.files.map(({ id }) => id)).toEqual(['a', 'c']);
  expect(large.trouble).toEqual({ is: 'large' });
});
