import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { makeOnce } from './once-file.ts';

vi.mock('node:fs/promises', { spy: true });

test.each(['ENOTSUP', 'EPERM'])(
  '[X5] a file system without hard links (%s) is refused, with what to do about it',
  async (code) => {
    const folder = temporaryDirectory();
    vi.mocked(fs.link).mockRejectedValueOnce(Object.assign(new Error(code), { code }));
    await expect(makeOnce(join(folder, 'secret-key'), 'text')).rejects.toMatchObject({
      code: 'secret_file',
      message: expect.stringMatching(/secret-key .* hard links.*Choose a data directory/),
    });
    expect(await fs.readdir(folder)).toEqual([]);
    expect(await makeOnce(join(folder, 'secret-key'), 'text')).toBe(true);
  },
);
