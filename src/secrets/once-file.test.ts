import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { makeOnce } from './once-file.ts';

test.each(['ENOTSUP', 'EPERM'])(
  '[X5] a file system without hard links (%s) is refused, with what to do about it',
  async (code) => {
    const folder = temporaryDirectory();
    const refuse = (): Promise<void> => Promise.reject(Object.assign(new Error(code), { code }));
    await expect(makeOnce(join(folder, 'secret-key'), 'text', refuse)).rejects.toMatchObject({
      code: 'secret_file',
      message: expect.stringMatching(/secret-key .* hard links.*Choose a data directory/),
    });
    expect(readdirSync(folder)).toEqual([]);
    expect(await makeOnce(join(folder, 'secret-key'), 'text')).toBe(true);
  },
);
