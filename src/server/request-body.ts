import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BatonError } from '../contract/errors.ts';
import { giveWay, PIECE } from '../queue/give-way.ts';
import { checkForwardedBodies } from './forward/forwarded-body.ts';
import { refuseHarmful } from './plain-json.ts';

// Fatal, because otherwise a U+FFFD in place of invalid bytes would be stored as if it were
// intended.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bodies are JSON in UTF-8. An empty body counts as no body, whatever its content type. */
export function readJsonBodies(app: FastifyInstance): void {
  app.decorateRequest('rawBody');
  checkForwardedBodies(app);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    '*',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.routeOptions.config.hostBound === true) request.rawBody = body;
      if (body.length === 0) return undefined;
      if (!isJson(request)) throw new BatonError('unsupported_media_type');
      // Reading a long body takes up to a tenth of a second, and many may arrive at once.
      if (body.length > PIECE) await giveWay(request.principal?.userId ?? request.ip);
      refuseMany(body);
      refuseNames(body);
      const value = parse(body);
      refuseHarmful(value);
      return value;
    },
  );
}

/**
 * The maximum number of SIGNS in a body: more than the longest message contains, even if it
 * consists only of these characters. Base64 contains none of them.
 */
const SIGNS_MAX = 600_000;
/** Every JSON value except the first follows one of these characters. */
const SIGNS = [',', '[', '{'].map((sign) => sign.charCodeAt(0));

/**
 * Parsing millions of small values would take seconds, during which the node could not respond
 * to anything else.
 */
function refuseMany(body: Buffer): void {
  if (body.length <= SIGNS_MAX) return;
  let signs = 0;
  for (const sign of SIGNS) {
    for (let at = body.indexOf(sign); at !== -1; at = body.indexOf(sign, at + 1)) {
      if (++signs > SIGNS_MAX) {
        throw new BatonError('invalid_request', 'The body has too many values.');
      }
    }
  }
}

/** Names cost more than values, and people write far fewer of them. */
const NAMES_MAX = 10_000;
const [COLON, QUOTE, BACKSLASH] = [...':"\\'].map((sign) => sign.charCodeAt(0));

/**
 * Each name in JSON is followed by a colon; the quotes in a text are escaped. Counted before parsing,
 * because an object with hundreds of thousands of names takes half a second to parse.
 */
function refuseNames(body: Buffer): void {
  let names = 0;
  for (let at = body.indexOf(COLON!); at !== -1; at = body.indexOf(COLON!, at + 1)) {
    let end = at - 1;
    while (end >= 0 && isSpace(body[end])) end--;
    if (body[end] !== QUOTE) continue;
    let escapes = 0;
    while (body[end - 1 - escapes] === BACKSLASH) escapes++;
    if (escapes % 2 === 0 && ++names > NAMES_MAX) {
      throw new BatonError('invalid_request', 'The body has too many fields.');
    }
  }
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;

function isJson({ headers }: FastifyRequest): boolean {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return false;
  const type = headers['content-type']?.toLowerCase().replace(/\s/g, '') ?? '';
  return /^application\/([\w.-]+\+)?json(;charset="?utf-?8"?)?$/.test(type);
}

function parse(body: Buffer): unknown {
  let text: string;
  try {
    text = utf8.decode(body);
  } catch (cause) {
    throw new BatonError('invalid_request', 'The body is not UTF-8.', { cause });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BatonError('invalid_request', 'The body is not JSON.', { cause });
  }
}
