import { once } from 'node:events';
import { expect } from 'vitest';
import { FileError, type FilePath } from '../../files.ts';
import { type Check, type RuntimeUnderTest, sh, start } from './rig.ts';

/** Why a promise was rejected; an error of the system by its code. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    return error instanceof FileError ? error.reason : String((error as { code?: unknown }).code);
  }
}

const readText = async ({ runtime }: RuntimeUnderTest, path: FilePath): Promise<string> =>
  (await runtime.files.read(path, 1000)).toString();

export const FILE_CHECKS: readonly Check[] = [
  {
    name: '[A11] a file is written with its folders, for its owner only by default, and read',
    run: async (under) => {
      const { files } = under.runtime;
      const content = Buffer.from([0, 255, 10, 13, 0]);
      await files.write('a/b/日本 file', content);
      await files.write('./a//program', '#!/bin/sh\necho ran\n', { mode: 0o700 });
      expect(await files.read('a/b/日本 file', 5)).toEqual(content);
      expect(await sh(under, './a/program; wc -c < "a/b/日本 file" | tr -d " "')).toBe('ran\n5\n');
      expect(await files.stat('a/b/日本 file')).toMatchObject({
        kind: 'file',
        size: 5,
        mode: 0o600,
        modifiedAt: expect.any(Number),
      });
      expect(await files.stat('a/b')).toMatchObject({ kind: 'folder', mode: 0o700 });
      expect((await files.list('a')).entries.map(({ name }) => name).sort()).toEqual([
        'b',
        'program',
      ]);
    },
  },
  {
    name: '[A11] writing replaces a file whole: another name of the old one keeps its content',
    run: async (under) => {
      const { files } = under.runtime;
      await files.write('file', 'old');
      await sh(under, 'ln file other');
      await files.write('file', 'new');
      expect([await readText(under, 'file'), await readText(under, 'other')]).toEqual([
        'new',
        'old',
      ]);
      expect((await files.list('.')).entries).toHaveLength(2);
    },
  },
  {
    name: '[A11] what is missing, or of another kind, is an error that says so',
    run: async (under) => {
      const { files } = under.runtime;
      await sh(under, 'mkdir folder; echo text > file; mkfifo pipe');
      expect(await files.stat('none')).toBeNull();
      expect(await files.stat('none/deeper')).toBeNull();
      expect(await files.stat('pipe')).toMatchObject({ kind: 'other' });
      await files.remove('none');
      await files.remove('none/deeper');
      expect(await reasonOf(files.read('none', 10))).toBe('missing');
      expect(await reasonOf(files.list('none'))).toBe('missing');
      expect(await reasonOf(files.list('file'))).toBe('not_a_folder');
      expect(await reasonOf(files.write('file/inside', ''))).toBe('not_a_folder');
      expect(await reasonOf(files.read('folder', 10))).toBe('not_a_file');
      expect(await reasonOf(files.write('folder', ''))).toBe('not_a_file');
      // Opening a pipe would wait for the other end.
      expect(await reasonOf(files.read('pipe', 10))).toBe('not_a_file');
      expect((await files.list('.')).entries).toHaveLength(3);
    },
  },
  {
    name: '[A11] a file that is replaced is never seen empty',
    run: async (under) => {
      const { files } = under.runtime;
      await files.write('file', 'whole');
      await files.write('go', '');
      const script = 'echo ready; while [ -e go ]; do [ -s file ] || exit 1; done';
      const watcher = await start(under, ['/bin/sh', '-c', script]);
      await once(watcher.stdout, 'data');
      for (let i = 0; i < 100; i++) await files.write('file', 'whole');
      await files.remove('go');
      expect(await watcher.exited).toMatchObject({ code: 0 });
    },
  },
  {
    name: '[A11] a listing names the kind of each entry, and a file the time of its last change',
    run: async (under) => {
      const { files } = under.runtime;
      await sh(under, 'mkdir folder; ln -s folder link; mkfifo pipe');
      await sh(under, 'TZ=UTC0 touch -t 202001020304.05 file');
      const { entries } = await files.list('.');
      expect(Object.fromEntries(entries.map(({ name, kind }) => [name, kind]))).toEqual({
        ...{ file: 'file', folder: 'folder', link: 'link', pipe: 'other' },
      });
      const { modifiedAt } = (await files.stat('file'))!;
      expect(modifiedAt).toBe(Date.UTC(2020, 0, 2, 3, 4, 5));
    },
  },
  {
    name: '[H9] no more is read or listed than asked for',
    run: async (under) => {
      const { files } = under.runtime;
      await sh(under, 'mkdir many; i=0; while [ $i -lt 50 ]; do : > many/$i; i=$((i+1)); done');
      await sh(under, 'dd if=/dev/zero of=huge bs=1 count=0 seek=20000000000 2>/dev/null');
      expect(await reasonOf(files.read('huge', 1_000_000))).toBe('too_large');
      await files.write('exact', 'x'.repeat(1000));
      expect((await files.read('exact', 1000)).length).toBe(1000);
      expect(await reasonOf(files.read('exact', 999))).toBe('too_large');
      const { entries, truncated } = await files.list('many', 20);
      expect([entries.length, truncated]).toEqual([20, true]);
      expect(await files.list('many', 50)).toMatchObject({ truncated: false });
    },
  },
  {
    name: '[W1] names may be any bytes',
    needs: 'byteNames',
    run: async (under) => {
      const { files } = under.runtime;
      const name = Buffer.from([0x66, 0xff, 0xfe, 0x0a, 0x2a]);
      await sh(under, `mkdir in; printf hello > "in/$(printf 'f\\377\\376\\n*')"`);
      const { entries } = await files.list('in');
      expect(entries).toEqual([
        {
          name: 'f\uFFFD\uFFFD\n*',
          path: Buffer.concat([Buffer.from('in/'), name]),
          kind: 'file',
        },
      ]);
      const { path } = entries[0]!;
      expect(await readText(under, path)).toBe('hello');
      expect(await files.stat(path)).toMatchObject({ size: 5 });
      await files.write(path, 'other');
      expect(await sh(under, 'cat in/*')).toBe('other');
      await files.remove(path);
      expect((await files.list('in')).entries).toEqual([]);
      for (const odd of ['-rf', '\\', '"', '%00', '*', 'a\nb', ' ']) {
        await files.write(odd, odd);
        expect(await readText(under, odd)).toBe(odd);
      }
    },
  },
  {
    name: '[W1] removing a folder removes what is in it, and follows no link',
    run: async (under) => {
      const { runtime, outside } = under;
      await sh(under, 'mkdir -p tree/deep/er; : > tree/deep/er/file; : > "$1/kept"', outside);
      await sh(under, 'ln -s "$1" tree/away; ln -s "$1/kept" tree/deep/file', outside);
      await runtime.files.remove('tree');
      expect(await runtime.files.stat('tree')).toBeNull();
      expect(await sh(under, 'ls "$1"', outside)).toBe('kept\n');
      await runtime.files.remove('tree');
    },
  },
  {
    name: '[P7] below another folder, too, no link is followed',
    run: async (under) => {
      const { runtime, outside } = under;
      await sh(under, 'cd "$1"; mkdir real; echo x > file; ln -s .. real/up', outside);
      await sh(under, 'cd "$1"; ln -s ../file real/link', outside);
      const files = runtime.filesIn(`${outside}/real`);
      expect(await reasonOf(files.read('up/file', 10))).toBe('not_a_folder');
      expect(await reasonOf(files.write('up/file', 'y'))).toBe('not_a_folder');
      expect(await reasonOf(files.list('up'))).toBe('not_a_folder');
      expect(await reasonOf(files.read('link', 10))).toBe('not_a_file');
      expect(await sh(under, 'cat "$1/file"', outside)).toBe('x\n');
    },
  },
  {
    name: '[S10] files in another folder of the agent can be used in the same way',
    run: async (under) => {
      const { runtime, outside } = under;
      await sh(under, 'mkdir "$1/real"; ln -s real "$1/link"; echo one > "$1/real/file"', outside);
      const files = runtime.filesIn(`${outside}/link`);
      expect((await files.read('file', 10)).toString()).toBe('one\n');
      expect((await files.list('.')).entries.map(({ name }) => name)).toEqual(['file']);
      expect(await reasonOf(files.read('../link/file', 10))).toBe('outside');
      expect(await reasonOf(runtime.filesIn(`${outside}/none`).list('.'))).toBe('missing');
    },
  },
];
