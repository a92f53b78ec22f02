import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};

export type Encoding = 'br' | 'gzip' | null;

export interface WebFile {
  readonly type: string;
  /** The bytes in an encoding; compressed once, on first use. */
  packed(encoding: Encoding): Promise<Buffer>;
}

/**
 * The built web app. The app is kept in memory, because it is small and may be rebuilt on disk;
 * `@fastify/static` reads from disk for every request. Compressing in the build would replace the
 * few lines that do it here with as many there, and make the package larger.
 */
export interface WebFiles {
  /** Contains `{nonce}` as a placeholder for the response's nonce. */
  readonly index: string;
  /** The paths of the files that the document itself loads. */
  readonly first: readonly string[];
  asset(name: string): WebFile | null;
}

/**
 * In a checkout, the folder that setup builds the app in; in the package, the one beside the
 * compiled code.
 */
export const WEB_DIRECTORY = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/web/' : '../../web/',
  import.meta.url,
);

/** Null if it was not built. */
export function readWebFiles(directory: URL = WEB_DIRECTORY): WebFiles | null {
  let index: string;
  const assets = new Map<string, WebFile>();
  try {
    index = readFileSync(new URL('index.html', directory), 'utf8');
    const folder = new URL('assets/', directory);
    for (const name of readdirSync(folder)) {
      const type = TYPES[extname(name)];
      if (type !== undefined) assets.set(name, webFile(type, readFileSync(new URL(name, folder))));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const first = [...index.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  return { index, first, asset: (name) => assets.get(name) ?? null };
}

/**
 * The first visitor waits for the compression: the best quality takes sixty times as long and saves
 * only a tenth.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const brotli = promisify(brotliCompress);

const PACK: Record<'br' | 'gzip', (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotli(bytes, BROTLI),
  gzip: promisify(gzip),
};

function webFile(type: string, bytes: Buffer): WebFile {
  const cache = new Map<Encoding, Promise<Buffer>>([[null, Promise.resolve(bytes)]]);
  return {
    type,
    packed(encoding) {
      const packed = cache.get(encoding) ?? PACK[encoding!](bytes);
      cache.set(encoding, packed);
      return packed;
    },
  };
}

/** The best accepted encoding. */
export function encodingOf(accepted: string | string[] | undefined): Encoding {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}
