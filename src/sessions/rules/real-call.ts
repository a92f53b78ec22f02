import { join, normalize, resolve } from 'node:path';
import type { Json } from '../../contract/values/json.ts';
import { FILE_FIELDS, namesOfCall, spellingsOf, type ToolCall } from '../../policy/tools/call.ts';
import { PATH_MAX, shortened } from '../../policy/tools/words/short-path.ts';
import { type Links, RealPaths } from './real-paths.ts';
import { repositoriesOf } from './repositories.ts';

type Call = Pick<ToolCall, 'tool' | 'input' | 'real' | 'repositories'>;

export interface RealCalls {
  readonly calls: readonly Call[];
  /**
   * The targets of paths that do not lead where they seem to. The person who approves the call must
   * know them.
   */
  readonly targets: readonly string[];
  /** False if the call has too many names to follow. */
  readonly isFollowed: boolean;
}

/**
 * The calls that path rules judge in place of this one, because a repository may contain a link
 * that leads out of it. A call of a file tool is judged both as written and by where its paths
 * lead; for a command or an unknown tool, the target of each name is judged as well.
 */
export async function realCalls(call: Call, runtime: Links): Promise<RealCalls> {
  const { tool, input } = call;
  const { root: workspace, home, environment } = runtime;
  const paths = await RealPaths.in(runtime);
  const atHome = (path: string): string => shortened(path.replace(/^~(?=\/|$)/, () => home));
  const names = namesOfCall({ tool, input, home });
  if (names === null) {
    const repositories = await repositoriesOf([workspace], paths, environment);
    return { calls: [{ ...call, repositories }], targets: [], isFollowed: false };
  }
  if (names.size > 0) {
    const resolved = await Promise.all(
      [...names]
        .filter((name) => atHome(name).length <= PATH_MAX)
        .map(async (name) => [name, await paths.of(atHome(name))] as const),
    );
    const isElsewhere = ([name, { path }]: (typeof resolved)[number]): boolean =>
      path !== resolve(workspace, atHome(name));
    // A name that neither exists nor leads through a link is judged as written.
    const known = resolved.filter((each) => each[1].exists || isElsewhere(each));
    const targets = resolved.filter(isElsewhere).map(([, { path }]) => path);
    const folders = known.filter(([, { folder }]) => folder).map(([, { path }]) => path);
    const repositories = await repositoriesOf([workspace, ...folders], paths, environment);
    return {
      calls: [{ ...call, real: new Map(known), repositories }],
      targets,
      isFollowed: true,
    };
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return { calls: [call], targets: [], isFollowed: true };
  }
  const others = new Set<string>();
  const targets = new Set<string>();
  // Tries both spellings of a name (`spellingsOf`), because a link may have either.
  for (const spelled of [AS_WRITTEN, COMPOSED]) {
    // After a link, the system resolves `..` from the link's target, but Claude Code resolves it
    // from the link itself.
    for (const way of [AS_WRITTEN, normalize]) {
      const changed: Fields = {};
      for (const name of FILE_FIELDS) {
        const said = Object.hasOwn(input, name) ? input[name] : undefined;
        const path = typeof said === 'string' ? atHome(spelled(said)) : '';
        // A path longer than this cannot be opened, and following it name by name would take too
        // long.
        if (path === '' || path.length > PATH_MAX) continue;
        const { path: real } = await paths.of(way(path));
        if (real === resolve(workspace, path)) continue;
        changed[name] = real;
        targets.add(real);
      }
      if (tool === 'Glob') {
        const glob = await realGlob(input, (path) => atHome(spelled(path)), paths);
        if (glob !== null) {
          Object.assign(changed, { path: glob.path, pattern: glob.pattern });
          if (glob.path !== resolve(workspace, glob.from)) targets.add(glob.path);
        }
      }
      if (Object.keys(changed).length > 0) others.add(JSON.stringify(changed));
    }
  }
  const real = [...others].map((changed) => ({
    ...call,
    input: { ...input, ...JSON.parse(changed) },
  }));
  return { calls: [call, ...real], targets: [...targets], isFollowed: true };
}

const AS_WRITTEN = (path: string): string => spellingsOf(path)[0]!;
const COMPOSED = (path: string): string => spellingsOf(path).at(-1)!;

type Fields = { [name: string]: Json };

/** A search may start behind a link, in a folder that its pattern names. */
async function realGlob(
  { path, pattern }: { readonly [name: string]: Json },
  atHome: (path: string) => string,
  paths: RealPaths,
): Promise<{ from: string; path: string; pattern: string } | null> {
  if (typeof pattern !== 'string') return null;
  const fixed = atHome(pattern).split(/[*?[{]/, 1)[0]!;
  const folder = fixed.slice(0, fixed.lastIndexOf('/') + 1);
  if (folder === '' || folder.length > PATH_MAX) return null;
  const begin = typeof path === 'string' ? atHome(path) || '.' : '.';
  const from = folder.startsWith('/') ? folder : join(begin, folder);
  const { path: real } = await paths.of(from);
  return { from, path: real, pattern: atHome(pattern).slice(folder.length) };
}
