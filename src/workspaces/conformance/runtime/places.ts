import { expect } from 'vitest';
import { type Check, run, sh } from './rig.ts';

export const PLACE_CHECKS: readonly Check[] = [
  {
    name: '[P1] any path can be inspected, and a link names its target as written',
    run: async (under) => {
      const { runtime, outside } = under;
      const { root, inspect } = runtime;
      await sh(
        under,
        ': > file; mkdir folder; mkfifo pipe; ln -s "$1" away; ln -s ../x near',
        outside,
      );
      await sh(under, 'ln -s folder/../file odd; ln -s loop loop; : > "$1/theirs"', outside);
      const kinds = {
        file: 'file',
        folder: 'folder',
        pipe: 'other',
        none: 'missing',
        'none/deeper': 'missing',
        'file/below': 'missing',
        'folder/../file': 'file',
        'away/theirs': 'file',
      };
      for (const [path, kind] of Object.entries(kinds)) {
        expect([path, await inspect(`${root}/${path}`)]).toEqual([path, { kind }]);
      }
      const targets = { away: outside, near: '../x', odd: 'folder/../file', loop: 'loop' };
      for (const [path, target] of Object.entries(targets)) {
        expect(await inspect(`${root}/${path}`)).toEqual({ kind: 'link', target });
      }
      expect(await inspect(outside)).toEqual({ kind: 'folder' });
      expect(await inspect('/')).toEqual({ kind: 'folder' });
    },
  },
  {
    name: '[P7] a link whose target is not text is unknown',
    needs: 'byteNames',
    run: async (under) => {
      const { root, inspect } = under.runtime;
      await sh(under, `name=$(printf '\\377'); ln -s .. "$name"; ln -s "$name/key" bytes`);
      await sh(under, `name=$(printf '\\357\\277\\275'); mkdir "$name"; ln -s "$name/key" text`);
      expect(await inspect(`${root}/bytes`)).toEqual({ kind: 'unknown' });
      // This character also stands for bytes that are not text, but may itself be part of a name.
      expect(await inspect(`${root}/text`)).toEqual({ kind: 'link', target: '\ufffd/key' });
      expect(await inspect(`${root}/\ufffd`)).toEqual({ kind: 'folder' });
    },
  },
  {
    name: '[P7] a path that cannot be inspected is unknown; a name that cannot exist is missing',
    run: async (under) => {
      const { root, inspect } = under.runtime;
      const folder = 'd'.repeat(200);
      const deep = Array.from({ length: 25 }, () => folder).join('/');
      const enter = `for i in $(seq 25); do mkdir -p ${folder}; cd -P ${folder}; done`;
      try {
        await sh(under, `${enter}; : > key; cd "$1"; mkdir -m 0 shut`, root);
        expect(await inspect(`${root}/${deep}/key`)).toEqual({ kind: 'unknown' });
        // The superuser may search any folder.
        const mayEnter = (await sh(under, 'test -x shut && echo yes || true')) !== '';
        const kind = mayEnter ? 'missing' : 'unknown';
        expect(await inspect(`${root}/shut/key`)).toEqual({ kind });
      } finally {
        await sh(under, 'rm -r d* shut');
      }
      for (const name of ['n'.repeat(300), 'n'.repeat(4096), '日'.repeat(3000), 'n\0n']) {
        expect(await inspect(`${root}/${name}`)).toEqual({ kind: 'missing' });
      }
    },
  },
  {
    name: '[W1] its paths are absolute, and the workspace is not behind a link',
    run: async (under) => {
      const { root, home } = under.runtime;
      expect(await sh(under, 'cd "$1"; pwd -P', root)).toBe(`${root}\n`);
      expect(home).toMatch(/^\//);
      expect(await sh(under, 'echo ~')).toBe(`${home}\n`);
    },
  },
  {
    name: '[A2] a program is found on the PATH of the runtime',
    run: async (under) => {
      const { runtime, outside } = under;
      const shell = await runtime.find('sh');
      expect(shell).toMatch(/^\/.*\/sh$/);
      expect((await run(under, [shell!, '-c', 'echo ran'])).stdout).toBe('ran\n');
      expect(await runtime.find('not-a-program-anywhere')).toBeNull();
      await sh(under, 'printf "#!/bin/sh\\n" > "$1/tool"; mkdir "$1/folder"', outside);
      expect(await runtime.find(`${outside}/tool`)).toBeNull();
      await sh(under, 'chmod +x "$1/tool"', outside);
      expect(await runtime.find(`${outside}/tool`)).toBe(`${outside}/tool`);
      expect(await runtime.find(`${outside}/folder`)).toBeNull();
    },
  },
  {
    name: '[A12] private files are for the agent only, outside the workspace, until they are removed',
    run: async (under) => {
      const { runtime } = under;
      const { paths, remove } = await runtime.keepPrivate({ 'a.json': '{"key":"日本"}', b: '' });
      expect(Object.keys(paths).sort()).toEqual(['a.json', 'b']);
      const path = paths['a.json']!;
      expect(path.startsWith(`${runtime.root}/`)).toBe(false);
      expect(await sh(under, 'cat "$1"', path)).toBe('{"key":"日本"}');
      expect(await sh(under, 'ls -l "$1" | cut -c1-10', path)).toBe('-rw-------\n');
      expect(await sh(under, 'ls -ld "$(dirname "$1")" | cut -c1-10', path)).toBe('drwx------\n');
      const other = await runtime.keepPrivate({ b: 'other' });
      await remove();
      await remove();
      expect(await runtime.inspect(path)).toEqual({ kind: 'missing' });
      expect(await sh(under, 'cat "$1"', other.paths['b']!)).toBe('other');
      await other.remove();
    },
  },
];
