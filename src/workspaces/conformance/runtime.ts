import { describe, expect, test } from 'vitest';
import type { Lacks } from '../runtime.ts';
import { ARGUMENT_CHECKS } from './runtime/arguments.ts';
import { ESCAPE_CHECKS } from './runtime/escapes.ts';
import { FILE_CHECKS } from './runtime/files.ts';
import { PLACE_CHECKS } from './runtime/places.ts';
import type { Check, RuntimeUnderTest } from './runtime/rig.ts';
import { SNAPSHOT_CHECKS } from './runtime/snapshots.ts';
import { STREAM_CHECKS } from './runtime/streams.ts';
import { UNIT_CHECKS } from './runtime/units.ts';

/*
 * What every runtime promises (W1). The checks set up what they need through the runtime itself, so
 * that they also run in a container and on another machine. There they need `sh` and the programs
 * of a bare Debian, plus `git` if the runtime takes snapshots, and `/proc` or `ps`. They use `perl`
 * and `setsid` if these are there. The checks are values, so that a test can show that a broken
 * runtime fails them (faults.test.ts).
 */

const GROUPS: Readonly<Record<string, readonly Check[]>> = {
  'how a process starts': ARGUMENT_CHECKS,
  'its streams': STREAM_CHECKS,
  'its unit': UNIT_CHECKS,
  files: FILE_CHECKS,
  'nothing outside the folder': ESCAPE_CHECKS,
  'links, programs and private files': PLACE_CHECKS,
  snapshots: SNAPSHOT_CHECKS,
};

export const RUNTIME_CHECKS: readonly Check[] = Object.values(GROUPS).flat();

/** `lacks` is what this runtime cannot do, with the reasons; those checks are skipped. */
export function runtimeConformance(make: () => RuntimeUnderTest, lacks: Lacks): void {
  test('[W1] what it lacks is declared, with the reason', () => {
    const { runtime } = make();
    expect(runtime.lacks).toEqual(lacks);
    for (const reason of Object.values(runtime.lacks)) expect(reason).toMatch(/\w/);
    // A missing capability must not appear to exist.
    if (lacks.terminals !== undefined) expect(Object.keys(runtime)).not.toContain('openTerminal');
  });

  test('[W1] its members are its own and need no `this`, so that a caller can replace one', async () => {
    const { runtime } = make();
    const { snapshot, inspect, find, filesIn, ...rest } = { ...runtime };
    const { list, stat } = { ...rest.files };
    expect(await inspect(rest.root)).toEqual({ kind: 'folder' });
    expect(await find('not-a-program-anywhere')).toBeNull();
    expect(await list('.')).toMatchObject({ entries: [] });
    expect(await stat('none')).toBeNull();
    expect(await filesIn(rest.root).stat('none')).toBeNull();
    expect(await snapshot()).toHaveProperty('kind');
  });

  for (const [group, checks] of Object.entries(GROUPS)) {
    describe(group, () => {
      for (const { name, needs, run } of checks) {
        const reason = needs === undefined ? undefined : lacks[needs];
        test.skipIf(reason !== undefined)(name, () => run(make()));
      }
    });
  }
}
