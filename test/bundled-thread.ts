import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import type {} from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'node_modules', '.cache', 'baton-test');
const STARTS_THREAD = 'src/storage/sqlite/writer.ts';
const ENTRY = /new URL\(\s*`\.\/writer-thread\$\{[^`]*`,\s*import\.meta\.url,?\s*\)/;

/**
 * Over a thousand tests open a SQLite store, each with a thread that would load two hundred files for
 * itself. In the process of a test it loads one that is made of them; programs that tests start load
 * what is there.
 */
export function bundledThread(): Plugin {
  return {
    name: 'bundled-thread',
    enforce: 'pre',
    // Vitest would keep the file as it was transformed, and with it a thread of older sources.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id }) => (id.endsWith(STARTS_THREAD) ? false : undefined));
    },
    async transform(code, id) {
      if (!id.endsWith(STARTS_THREAD)) return null;
      if (!ENTRY.test(code)) throw new Error(`${id} starts its thread in another way`);
      const url = pathToFileURL(await bundled()).href;
      return { code: code.replace(ENTRY, `new URL('${url}')`), map: null };
    },
  };
}

async function bundled(): Promise<string> {
  const made = await build({
    configFile: false,
    root,
    logLevel: 'warn',
    ssr: { noExternal: true },
    build: { ssr: 'src/storage/sqlite/writer-thread.ts', write: false, minify: false },
  });
  const [output] = [made].flat();
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined;
  if (chunk === undefined) throw new Error('the thread could not be bundled');
  const name = createHash('sha256').update(chunk.code).digest('hex').slice(0, 16);
  const path = join(folder, `writer-thread-${name}.mjs`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    // At once: another run may look for it.
    writeFileSync(`${path}.${process.pid}`, chunk.code);
    renameSync(`${path}.${process.pid}`, path);
  }
  return path;
}
