import type { Stats } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { holdsProcesses, isUnknownLink, segmentsOf } from '../../policy/tools/path-match.ts';

/** Where a name leads, and whether it is a folder; what is not there is none. */
export interface RealPath {
  readonly path: string;
  readonly folder: boolean;
  readonly exists: boolean;
}

/** As many as systems follow. */
const LINKS_MAX = 40;

/**
 * Follows links as the system does, name by name, so that a `..` behind a link is the folder above
 * where it leads. What is not there yet is written through a link, too. `/proc/self` is the agent's
 * own process, not this one. Each name is looked up once, however many paths have it.
 */
export class RealPaths {
  readonly #workspace: string;
  readonly #home: string;
  readonly #stats = new Map<string, Promise<Stats | null>>();

  private constructor(workspace: string, home: string) {
    this.#workspace = workspace;
    this.#home = home;
  }

  static async in(workspace: string): Promise<RealPaths> {
    return new RealPaths(workspace, await realpath(workspace).catch(() => workspace));
  }

  /** A workspace behind a link is still the same workspace. */
  async of(path: string): Promise<RealPath> {
    const { path: real, ...rest } = await this.#walk(path);
    const from = relative(this.#home, real);
    // Behind a link of a process a `..` is still there.
    const isInside = !real.startsWith('/proc/') && from !== '..' && !from.startsWith('../');
    return { path: isInside ? join(this.#workspace, from) : real, ...rest };
  }

  async #walk(path: string): Promise<RealPath> {
    const missing = (at: string): RealPath => ({ path: at, folder: false, exists: false });
    // Of the workspace itself the links are followed already.
    const isInside = path === this.#workspace || path.startsWith(`${this.#workspace}/`);
    const rest = (isInside ? path.slice(this.#workspace.length) : path).split('/').reverse();
    let at = isInside || !path.startsWith('/') ? this.#home : '/';
    let folder = true;
    /** The last names, from the first that is not there on. */
    const gone: string[] = [];
    let links = 0;
    while (rest.length > 0) {
      const name = rest.pop()!;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        // Behind what is not there it leads back to what is, as for a program that looks at names only.
        if (gone.pop() === undefined) at = dirname(at);
        folder = true;
        continue;
      }
      if (gone.length > 0) {
        gone.push(name);
        continue;
      }
      const next = join(at, name);
      if (next.startsWith('/proc/')) {
        const led = segmentsOf(next, { cwd: this.#home })!;
        at = `/${led.join('/')}`;
        folder = led[0] !== 'proc' || holdsProcesses(led);
        if (isUnknownLink(led)) {
          return { path: [at, ...rest.reverse()].join('/'), folder, exists: true };
        }
        continue;
      }
      const found = await this.#look(next);
      if (found === null) {
        gone.push(name);
        continue;
      }
      if (!found.isSymbolicLink()) {
        at = next;
        folder = found.isDirectory();
        continue;
      }
      const target = await readlink(next).catch(() => null);
      if (target === null || ++links > LINKS_MAX) return missing(resolve(this.#workspace, path));
      rest.push(...target.split('/').reverse());
      if (target.startsWith('/')) at = '/';
    }
    return gone.length > 0 ? missing(join(at, gone.join('/'))) : { path: at, folder, exists: true };
  }

  #look(path: string): Promise<Stats | null> {
    let found = this.#stats.get(path);
    if (found === undefined) {
      found = lstat(path).catch(() => null);
      this.#stats.set(path, found);
    }
    return found;
  }
}
