import { expect } from 'vitest';
import type { Snapshot, WorkspaceDiff } from '../../runtime.ts';
import { type Check, type RuntimeUnderTest, sh } from './rig.ts';

/** A snapshot that was stored and read back, as a later attempt gets it. */
const taken = async ({ runtime }: RuntimeUnderTest): Promise<Snapshot> =>
  JSON.parse(JSON.stringify(await runtime.snapshot())) as Snapshot;

const changesOf = ({ files }: WorkspaceDiff): string[] =>
  files.map(({ path, change }) => `${change} ${path}`).sort();

const CHANGE = 'echo B > changed; rm sub/gone; echo new > sub/new; printf same > touched';

const check = (name: string, setUp: string): Check => ({
  name: `[Q16] ${name}`,
  needs: 'snapshots',
  run: async (under) => {
    const { runtime } = under;
    await sh(under, `${setUp}; mkdir sub; echo A > changed; : > sub/gone; printf same > touched`);
    const before = await taken(under);
    expect(before.kind).not.toBe('none');
    expect(changesOf(await runtime.diff(before))).toEqual([]);
    const listing = 'find . | sort; git status --porcelain 2>/dev/null || true';
    const was = await sh(under, listing);
    await sh(under, CHANGE);
    const after = await sh(under, listing);
    expect(after).not.toBe(was);
    const diff = await runtime.diff(before);
    expect(changesOf(diff)).toEqual(['added sub/new', 'deleted sub/gone', 'modified changed']);
    expect(diff.truncated).toBe(false);
    const later = await taken(under);
    await sh(under, 'echo C > changed; echo more > more');
    expect(changesOf(await runtime.diff(before, { to: later }))).toEqual(changesOf(diff));
    expect(changesOf(await runtime.diff(later, { to: before }))).toEqual([
      'added sub/gone',
      'deleted sub/new',
      'modified changed',
    ]);
    expect(changesOf(await runtime.diff(later))).toEqual(['added more', 'modified changed']);
    await sh(under, 'echo B > changed; rm more');
    // The snapshots leave nothing in the workspace.
    expect(await sh(under, listing)).toBe(after);
  },
});

export const SNAPSHOT_CHECKS: readonly Check[] = [
  check('what has changed in a plain folder since a snapshot is listed', ':'),
  check('the same in a git repository, which stays as it is', 'git init -q .'),
  {
    name: '[Q16] a file of any size costs little, and a snapshot is small',
    needs: 'snapshots',
    run: async (under) => {
      const huge = 'dd if=/dev/zero of=huge bs=1 count=0 seek="$1" 2>/dev/null';
      await sh(under, huge, '20000000000');
      const before = await taken(under);
      expect(JSON.stringify(before).length).toBeLessThan(2000);
      await sh(under, huge, '30000000000');
      expect(changesOf(await under.runtime.diff(before))).toEqual(['modified huge']);
    },
  },
  {
    name: '[Q16] a diff shows how a text file has changed',
    needs: 'snapshots',
    run: async (under) => {
      await sh(under, 'echo old > file');
      const before = await taken(under);
      await sh(under, 'echo new > file');
      expect((await under.runtime.diff(before)).patch).toMatch(/^-old\n\+new$/m);
    },
  },
  {
    name: '[Q16] a snapshot or diff that is aborted is unknown',
    needs: 'snapshots',
    run: async (under) => {
      const { runtime } = under;
      const before = await taken(under);
      await sh(under, 'echo new > file');
      const signal = AbortSignal.abort();
      const [snapshot, diff] = await Promise.all([
        runtime.snapshot({ signal }),
        runtime.diff(before, { signal }),
      ]);
      expect(snapshot.kind).toBe('none');
      expect(diff).toMatchObject({ files: [], truncated: true });
    },
  },
  {
    name: '[Q16] what cannot be compared is reported, not thrown',
    run: async ({ runtime }) => {
      for (const from of [null, {}, { kind: 'none', reason: 'no' }, { kind: 'git', tree: '--x' }]) {
        const unknown = { files: [], truncated: true, note: expect.stringMatching(/\w/) };
        expect(await runtime.diff(from)).toMatchObject(unknown);
        expect(await runtime.diff(await runtime.snapshot(), { to: from })).toMatchObject(unknown);
      }
    },
  },
];
