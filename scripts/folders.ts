/**
 * Checks what ARCHITECTURE.md says about folders: which may import which, that no two import each
 * other, and that none has grown too large to read. Tests and conformance suites may import anything.
 *
 * Biome's `noRestrictedImports` cannot do this: it sees only the text of an import, and cannot
 * distinguish `src/cli/sessions` from `src/sessions`. dependency-cruiser needs a TypeScript older
 * than 7, and finds no modules without it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The most files in a folder, not counting those of its sub-folders. */
const MOST_FILES = 40;

/** The ports through which everything inside a workspace happens. */
const WORKSPACES = [
  'workspaces/runtime.ts',
  'workspaces/files.ts',
  'workspaces/process.ts',
  'workspaces/provider.ts',
  'workspaces/artefacts.ts',
  'workspaces/file-changes.ts',
];

/**
 * For each folder of `src`, the other folders it may import, or single files in them. A folder that
 * is not listed may import all.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  config: ['contract'],
  policy: ['contract'],
  queue: ['contract', 'policy'],
  access: ['contract', 'queue'],
  storage: [
    'contract',
    'queue',
    'access/principal.ts',
    'sessions/session-record.ts',
    'sessions/session-machine.ts',
  ],
  agents: [
    'contract',
    'queue/give-way.ts',
    'workspaces/runtime.ts',
    'workspaces/files.ts',
    'workspaces/process.ts',
  ],
  workspaces: ['contract'],
  secrets: ['contract'],
  sessions: ['contract', 'access', 'policy', 'queue', 'agents', ...WORKSPACES, 'secrets'],
  server: ['contract', 'access', 'sessions', 'queue', 'agents', 'workspaces'],
  client: ['contract'],
  node: [
    'contract',
    'config',
    'policy',
    'queue',
    'access',
    'storage',
    'agents',
    'workspaces',
    'secrets',
    'sessions',
    'server',
  ],
  cli: ['contract', 'config', 'client', 'node'],
  'library.ts': ['contract', 'queue', 'storage'],
};

/** The ports that the databases serve. */
const STORE_PORT = /^(access|sessions)\/.+-store\.ts$/;

/** The packages that a folder may import. A folder that is not listed may import any. */
const PACKAGES: Record<string, readonly string[]> = { contract: ['zod'] };

/**
 * Folders that act in a workspace, which may be in a container or on another machine: they use its
 * runtime and nothing on this machine.
 */
const THROUGH_RUNTIME = ['agents', 'sessions'];
const OF_THIS_MACHINE = /^(node:)?(fs|fs\/promises|child_process|os)$/;

/** What the web app may import from `src`; it runs in a browser. */
const WEB_MAY_IMPORT = ['contract', 'client'];

/** Part of the build of the web app, not of the page. */
const WEB_BUILD = ['web/vite.config.ts', 'web/licence-notices.ts'];

const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?'([^']+)'|\bimport\(\s*'([^']+)'/g;

/** All problems, one line each; `root` is the project's. */
export function folderProblems(root: string): string[] {
  const problems: string[] = [];
  const edges = new Map<string, Map<string, string>>();
  for (const file of [...filesOf(root, 'src', problems), ...filesOf(root, 'web', problems)]) {
    if (isTest(file) || WEB_BUILD.includes(file)) continue;
    for (const name of importsOf(join(root, file))) {
      const target = name.startsWith('.')
        ? relative(root, resolve(root, dirname(file), name))
        : undefined;
      const refusal = refusalOf(file, name, target);
      if (refusal !== undefined) problems.push(`${file} imports ${name}: ${refusal}`);
      if (target !== undefined && folderOf(target) !== folderOf(file))
        edges.set(
          folderOf(file),
          (edges.get(folderOf(file)) ?? new Map()).set(folderOf(target), file),
        );
    }
  }
  return [...problems, ...cycles(edges)].toSorted();
}

/** Folders that import each other, directly or through others, with a file that contains the import. */
function cycles(edges: ReadonlyMap<string, ReadonlyMap<string, string>>): string[] {
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of edges.get(from)?.keys() ?? []) if (!seen.has(to)) reached(to, seen.add(to));
    return seen;
  };
  return [...edges].flatMap(([from, targets]) =>
    [...targets]
      .filter(([to]) => reached(to).has(from))
      .map(([to, file]) => `${from} imports ${to}, which imports it back: ${file}`),
  );
}

function refusalOf(file: string, name: string, target: string | undefined): string | undefined {
  const [top, folder = ''] = file.split('/');
  if (top === 'web') {
    if (name.startsWith('node:')) return 'web runs in a browser';
    const [of, source = ''] = target?.split('/') ?? [];
    if (of !== 'src' || WEB_MAY_IMPORT.includes(source)) return undefined;
    return `of src, web may import ${WEB_MAY_IMPORT.join(' and ')} only`;
  }
  if (target === undefined) {
    if (THROUGH_RUNTIME.includes(folder) && OF_THIS_MACHINE.test(name))
      return `src/${folder} acts through a runtime (src/workspaces/runtime.ts)`;
    const packages = PACKAGES[folder];
    if (packages === undefined || packages.includes(name)) return undefined;
    return `src/${folder} may import ${packages.join(', ')} only`;
  }
  if (!target.startsWith('src/') || folderOf(target) === folderOf(file)) return undefined;
  const allowed = MAY_IMPORT[folder];
  const inner = target.slice('src/'.length);
  if (folder === 'storage' && STORE_PORT.test(inner)) return undefined;
  if (allowed?.some((entry) => inner === entry || inner.startsWith(`${entry}/`)) ?? true)
    return undefined;
  const ports = folder === 'storage' ? ' and the store ports' : '';
  return `src/${folder} may import ${allowed?.join(', ') || 'nothing of src'}${ports} only`;
}

/** `src/queue` or `web/parts`; a file beside the folders stands for itself. */
const folderOf = (file: string): string => file.split('/').slice(0, 2).join('/');

const isTest = (file: string): boolean =>
  /\.test\.tsx?$/.test(file) || file.includes('/conformance/');

function importsOf(path: string): string[] {
  return [...readFileSync(path, 'utf8').matchAll(IMPORT)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

function filesOf(root: string, folder: string, problems: string[]): string[] {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  if (files.length > MOST_FILES)
    problems.push(`${folder} has ${files.length} files; more than ${MOST_FILES} need sub-folders`);
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return filesOf(root, path, problems);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '..');
  const problems = [...folderProblems(root), ...filesOfTests(root)];
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}

function filesOfTests(root: string): string[] {
  const problems: string[] = [];
  for (const folder of ['test', 'bench', 'chaos', 'scripts']) filesOf(root, folder, problems);
  return problems;
}
