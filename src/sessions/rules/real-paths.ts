import type { Stats } from 'node:fs';
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import {
  holdsProcesses,
  isUnknownLink,
  PROC_DEPTH,
  segmentsOf,
} from '../../policy/tools/path-match.ts';

/** Where a name leads, and whether that is a folder; false if nothing is there. */
export interface RealPath {
  readonly path: string;
  readonly folder: boolean;
  readonly exists: boolean;
}

/** Systems follow no more links than this. */
const LINKS_MAX = 40;

/**
 * Follows links as the system does, name by name: `..` after a link is the parent of its target.
 * Even paths that do not exist yet are followed, because they can be written through a link.
 * `/proc/self` is the agent's own process, not this one. Each name is read once, however many paths
 * contain it.
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

  /**
   * Paths in the workspace stay relative to it, even if the workspace itself is reached through a
   * link.
   */
  async of(path: string): Promise<RealPath> {
    const { path: real, ...rest } = await this.#walk(path);
    const from = relative(this.#home, real);
    // After a link in /proc, the path may still contain `..`.
    const isInside = !real.startsWith('/proc/') && from !== '..' && !from.startsWith('../');
    return { path: isInside ? join(this.#workspace, from) : real, ...rest };
  }

  async #walk(path: string): Promise<RealPath> {
    const missing = (at: string): RealPath => ({ path: at, folder: false, exists: false });
    // Links in the path of the workspace itself are already resolved.
    const isInside = path === this.#workspace || path.startsWith(`${this.#workspace}/`);
    const rest = (isInside ? path.slice(this.#workspace.length) : path).split('/').reverse();
    let at = isInside || !path.startsWith('/') ? this.#home : '/';
    let folder = true;
    /** The rest of the path, starting with the first name that does not exist. */
    const gone: string[] = [];
    let links = 0;
    while (rest.length > 0) {
      const name = rest.pop()!;
      if (name === '' || name === '.') continue;
      if (name === '..') {
        // After a missing name, `..` undoes it, as in a program that resolves paths only by name.
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
        // No known link is this deep, and resolving name by name from here on would take quadratic
        // time.
        if (led[0] === 'proc' && led.length > PROC_DEPTH) {
          gone.push(name);
          continue;
        }
        at = `/${led.join('/')}`;
        folder = led[0] !== 'proc' || holdsProcesses(led);
        if (isUnknownLink(led)) {
          return { path: [at, ...rest.reverse()].join('/'), folder, exists: true };
        }
        continue;
      }
      const stats = await this.#stat(next);
      if (stats === null) {
        gone.push(name);
        continue;
      }
      if (!stats.isSymbolicLink()) {
        at = next;
        folder = stats.isDirectory();
        continue;
      }
      const target = await readlink(next).catch(() => null);
      if (target === null || ++links > LINKS_MAX) return missing(resolve(this.#workspace, path));
      rest.push(...target.split('/').reverse());
      if (target.startsWith('/')) at = '/';
    }
    return gone.length > 0 ? missing(join(at, gone.join('/'))) : { path: at, folder, exists: true };
  }

  #stat(path: string): Promise<Stats | null> {
    let stats = this.#stats.get(path);
    if (stats === undefined) {
      stats = lstat(path).catch(() => null);
      this.#stats.set(path, stats);
    }
    return stats;
  }
}
