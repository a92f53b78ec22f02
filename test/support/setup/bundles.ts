import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type {} from 'vitest/config';

/*
 * Tests start hundreds of servers and commands and a thousand threads. Each would load up to six
 * hundred files: a server takes about 1.9 s of processor time, 1.1 s from a bundle.
 */

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'baton-test');
/** Programs that tests start. */
const PROGRAMS = [
  'src/cli/main.ts',
  'chaos/main.ts',
  'chaos/worker-program.ts',
  'test/fixtures/command-host.ts',
  'test/fixtures/worker-program.ts',
];
/** Each thread and the file that starts it. */
const THREADS = {
  'src/storage/sqlite/writer-thread.ts': 'src/storage/sqlite/writer.ts',
  'src/storage/postgres/lease-thread.ts': 'src/storage/postgres/store.ts',
};
const ENTRIES = [...PROGRAMS, ...Object.keys(THREADS)];
const KEPT_MS = 24 * 3600_000;

const nameOf = (entry: string): string => entry.replace(/\.ts$/, '').replaceAll('/', '-');
const made = (entry: string): string => `${nameOf(entry)}.mjs`;

declare module 'vitest' {
  interface ProvidedContext {
    nodeOptions: string;
  }
}

/**
 * Threads of test processes load their bundle, and so do programs that tests start, through
 * NODE_OPTIONS (programs.ts). A test of how a checkout starts omits those options.
 */
export function bundles(): Plugin {
  let bundling: Promise<string> | undefined;
  const bundleFolder = async (): Promise<string> => {
    bundling ??= bundle();
    return pathToFileURL(await bundling).href;
  };
  return {
    name: 'bundles',
    enforce: 'pre',
    async configureVitest({ vitest, defineCacheKeyGenerator }) {
      // Vitest caches transformed files. A cached file that starts a thread would name the bundle
      // of an earlier run, with outdated sources.
      defineCacheKeyGenerator(({ id }) => (threadStartedBy(id) === undefined ? undefined : false));
      // In watch mode the current sources must run.
      const { watch } = vitest.config;
      vitest.provide('nodeOptions', watch ? '' : `--import=${await bundleFolder()}/use.mjs`);
    },
    async transform(code, id) {
      if (threadStartedBy(id) === undefined) return null;
      const folder = await bundleFolder();
      return { code: withThread(code, id, (name) => `new URL('${folder}/${name}')`), map: null };
    },
  };
}

async function bundle(): Promise<string> {
  const input = Object.fromEntries(ENTRIES.map((entry) => [nameOf(entry), entry]));
  const result = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [asInSources()],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      write: false,
      minify: false,
      rolldownOptions: {
        input,
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' },
      },
    },
  });
  const files = new Map<string, string>();
  for (const one of [result].flat()) {
    for (const file of 'output' in one ? one.output : []) {
      if (file.type === 'chunk') files.set(file.fileName, file.code);
    }
  }
  files.set('use.mjs', use());
  return write(files);
}

/** A module that redirects programs to their bundles when Node resolves them. */
const use = (): string => {
  const bundled = PROGRAMS.map((entry) => [pathToFileURL(join(root, entry)).href, made(entry)]);
  return `import * as module from 'node:module';
const bundled = new Map(${JSON.stringify(bundled)});
// Not every Node that may run npm has it.
module.registerHooks?.({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const name = bundled.get(resolved.url);
    if (name === undefined) return resolved;
    return { ...resolved, url: new URL(name, import.meta.url).href, format: 'module' };
  },
});
`;
};

/** Keeps each file's `import.meta.url` pointing at its source, except where it starts threads. */
function asInSources(): Plugin {
  return {
    name: 'as-in-sources',
    enforce: 'pre',
    transform(code, id) {
      if (id.includes('node_modules') || !code.includes('import.meta.url')) return null;
      const here = JSON.stringify(pathToFileURL(id).href);
      const thread = 'THREAD_BESIDE_THE_BUNDLE';
      const marked =
        threadStartedBy(id) === undefined
          ? code
          : withThread(code, id, (name) => `new URL('./${name}', ${thread})`);
      const text = marked.replaceAll('import.meta.url', here);
      return { code: text.replaceAll(thread, 'import.meta.url'), map: null };
    },
  };
}

const threadStartedBy = (id: string): string | undefined =>
  Object.entries(THREADS).find(([, starter]) => id === join(root, starter))?.[0];

function withThread(code: string, id: string, url: (name: string) => string): string {
  const thread = threadStartedBy(id)!;
  const name = basename(thread, '.ts');
  const pattern = new RegExp(
    `new URL\\(\\s*\`\\./${name}\\$\\{[^\`]*\`,\\s*import\\.meta\\.url,?\\s*\\)`,
  );
  if (!pattern.test(code)) throw new Error(`${id} starts its thread in another way`);
  return code.replace(pattern, url(made(thread)));
}

/** Writes atomically, to a folder named by its content: another run may use the same one. */
function write(files: ReadonlyMap<string, string>): string {
  const hash = createHash('sha256');
  for (const [name, code] of [...files].sort()) hash.update(`${name} ${code}`);
  const target = join(folder, hash.digest('hex').slice(0, 16));
  const draft = `${target}.${process.pid}`;
  mkdirSync(draft, { recursive: true });
  for (const [name, code] of files) writeFileSync(join(draft, name), code);
  try {
    renameSync(draft, target);
  } catch {
    // It exists from an earlier run.
    rmSync(draft, { recursive: true });
    utimesSync(target, new Date(), new Date());
  }
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS)
      rmSync(path, { recursive: true, force: true });
  }
  return target;
}
