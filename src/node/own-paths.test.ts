import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/support/processes.ts';
import { ownPathsOf } from './own-paths.ts';

test('[P7] the side files of a database that is opened through a link are Baton’s own', () => {
  const [real, linked] = [temporaryDirectory(), temporaryDirectory()];
  const file = join(real, 'data.sqlite');
  writeFileSync(file, '');
  symlinkSync(file, join(linked, 'db'));
  const own = ownPathsOf(
    { database: { kind: 'sqlite', path: join(linked, 'db') } },
    { XDG_CONFIG_HOME: '/h' },
  );
  const ends = ['', '-wal', '-shm', '-journal', '.lock'];
  for (const end of ends) {
    expect(own).toContain(`${join(linked, 'db')}${end}`);
    expect(own).toContain(`${file}${end}`);
  }
  expect(own[0]).toBe('/h/baton');
  const missing = { kind: 'sqlite', path: join(linked, 'none') } as const;
  expect(ownPathsOf({ database: missing }, { XDG_CONFIG_HOME: '/h' })).toContain(
    join(linked, 'none-wal'),
  );
});
