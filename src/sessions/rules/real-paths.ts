import { dirname, join, relative, resolve } from 'node:path';
import {
  holdsProcesses,
  isUnknownLink,
  PROC_DEPTH,
  segmentsOf,
  UNKNOWN_FOLDER,
} from '../../policy/tools/path-match.ts';
import type { Inspected, Runtime } from '../../workspaces/runtime.ts';

/** The part of a runtime that is needed to follow links and to find repositories. */
export type Links = Pick<Runtime, 'root' | 'home' | 'environment' | 'inspect'>;

/**
 * The path that a name resolves to. If it cannot be determined, the path is placed under
 * `UNKNOWN_FOLDER`. `folder` is false if nothing is there.
 */
export interface RealPath {
  readonly path: string;
  readonly folder: boolean;
  readonly exists: boolean;
}

/** Operating systems do not follow more links than this. */
const LINKS_MAX = 40;
/**
 * How many names all paths of one call may have, with those of the links that they lead through. A
 * repository's links can stand for tens of thousands of names each, and a command can name a
 * thousand paths.
 */
const NAMES_MAX = 30_000;

/**
 * Follows links as the system does, name by name: `..` after a link is the parent of its target.
 * Even paths that do not exist yet are followed, because they can be written through a link.
 * `/proc/self` is the agent's own process, not this one. Each name is read once, however many paths
 * contain it.
 */
export class RealPaths {
  readonly #workspace: string;
  /** The real path of the workspace. */
  readonly #real: string;
  readonly #inspect: Links['inspect'];
  readonly #inspected: Map<string, Promise<Inspected>>;
  #namesLeft = NAMES_MAX;

  private constructor(
    { root, inspect }: Pick<Links, 'root' | 'inspect'>,
    real = root,
    inspected = new Map(),
  ) {
    this.#workspace = root;
    this.#real = real;
    this.#inspect = inspect;
    this.#inspected = inspected;
  }

  static async in(links: Links): Promise<RealPaths> {
    const { root } = links;
    const paths = new RealPaths({ ...links, root: '/' });
    // Inspects all names at once, because inspecting one after the other would take several times
    // as long. A failure is thrown by `of`, which awaits each of them until the first failure.
    for (let at = root; at !== dirname(at); at = dirname(at))
      paths.#inspectOnce(at).catch(() => {});
    // By now, a link may have replaced the workspace.
    const { path, exists } = await paths.of(root);
    return new RealPaths(links, exists ? path : root, paths.#inspected);
  }

  /**
   * Paths in the workspace stay relative to it, even if the workspace itself is reached through a
   * link.
   */
  async of(path: string): Promise<RealPath> {
    const { path: real, ...rest } = await this.#walk(path);
    const from = relative(this.#real, real);
    // After a link in /proc, the path may still contain `..`.
    const isInside = !real.startsWith('/proc/') && from !== '..' && !from.startsWith('../');
    return { path: isInside ? join(this.#workspace, from) : real, ...rest };
  }

  async #walk(path: string): Promise<RealPath> {
    const missing = (at: string): RealPath => ({ path: at, folder: false, exists: false });
    // Links in the path of the workspace itself are already resolved.
    const isInside = path === this.#workspace || path.startsWith(`${this.#workspace}/`);
    const rest = (isInside ? path.slice(this.#workspace.length) : path).split('/').reverse();
    let at = isInside || !path.startsWith('/') ? this.#real : '/';
    let folder = true;
    /** The rest of the path, starting with the first name that does not exist. */
    const gone: string[] = [];
    let links = 0;
    while (rest.length > 0) {
      const name = rest.pop()!;
      if (--this.#namesLeft < 0) return { path: UNKNOWN_FOLDER, folder: true, exists: true };
      if (name === '' || name === '.') continue;
      if (name === '..') {
        // `..` after a missing name cancels it, as in programs that resolve paths only by name.
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
        const led = segmentsOf(next, { cwd: this.#real })!;
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
      const inspected = await this.#inspectOnce(next);
      if (inspected.kind === 'missing') {
        gone.push(name);
        continue;
      }
      if (inspected.kind === 'unknown') {
        const path = [UNKNOWN_FOLDER, ...rest.reverse()].join('/');
        return { path, folder: true, exists: true };
      }
      if (inspected.kind !== 'link') {
        at = next;
        folder = inspected.kind === 'folder';
        continue;
      }
      const { target } = inspected;
      if (++links > LINKS_MAX) return missing(resolve(this.#workspace, path));
      rest.push(...target.split('/').reverse());
      if (target.startsWith('/')) at = '/';
    }
    return gone.length > 0 ? missing(join(at, gone.join('/'))) : { path: at, folder, exists: true };
  }

  #inspectOnce(path: string): Promise<Inspected> {
    let inspected = this.#inspected.get(path);
    if (inspected === undefined) {
      inspected = this.#inspect(path);
      this.#inspected.set(path, inspected);
    }
    return inspected;
  }
}
