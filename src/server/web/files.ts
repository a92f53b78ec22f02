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
  /** The bytes in an encoding; packed once, when somebody first asks for it. */
  packed(encoding: Encoding): Promise<Buffer>;
}

/** The web app as it was built. All of it is kept in memory: it is small, and may be built anew. */
export interface WebFiles {
  /** With `{nonce}` where the answer's nonce belongs. */
  readonly index: string;
  /** The paths of what the document asks for by itself. */
  readonly first: readonly string[];
  asset(name: string): WebFile | null;
}

/** Where the set-up builds it, and where the package has it. */
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
    const place = new URL('assets/', directory);
    for (const name of readdirSync(place)) {
      const type = TYPES[extname(name)];
      if (type !== undefined) assets.set(name, webFile(type, readFileSync(new URL(name, place))));
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const first = [...index.matchAll(/"(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  return { index, first, asset: (name) => assets.get(name) ?? null };
}

/** The first visitor waits for it: the best quality takes sixty times as long for a tenth less. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const brotli = promisify(brotliCompress);

const PACK: Record<'br' | 'gzip', (bytes: Buffer) => Promise<Buffer>> = {
  br: (bytes) => brotli(bytes, BROTLI),
  gzip: promisify(gzip),
};

function webFile(type: string, bytes: Buffer): WebFile {
  const known = new Map<Encoding, Promise<Buffer>>([[null, Promise.resolve(bytes)]]);
  return {
    type,
    packed(encoding) {
      const packed = known.get(encoding) ?? PACK[encoding!](bytes);
      known.set(encoding, packed);
      return packed;
    },
  };
}

/** The best of those that are accepted. */
export function encodingOf(accepted: string | string[] | undefined): Encoding {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .filter((each) => !/;\s*q=0(\.0*)?\s*$/.test(each))
    .map((each) => each.split(';', 1)[0]?.trim());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : null;
}
