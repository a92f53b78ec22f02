import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { BatonError } from '../../contract/errors.ts';
import { encodingOf, readWebFiles, type WebFiles } from './files.ts';
import { APP_PATHS, ASSETS, NOTICES } from './paths.ts';

/**
 * Allows only files from this server. Styles that the page adds while it runs carry the response's
 * nonce; scripts never do.
 */
const csp = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const NOT_BUILT =
  'The web app has not been built. Start Baton with `npm start` or `./bin/baton.mjs up`; both build it.';

export interface WebApp {
  /** The files that the app's document needs first. */
  readonly first: () => readonly string[];
  /** Sends the document, which decides what to show based on its address. */
  readonly show: (reply: FastifyReply) => FastifyReply;
}

/** The web app: one document for all of its paths, and its files. */
export function addWebApp(
  app: FastifyInstance,
  read: () => WebFiles | null = readWebFiles,
): WebApp {
  // Read at startup, not on the first visit: by then, a newer version may have been built.
  let files = read();
  const built = (): WebFiles => {
    files ??= read();
    if (files === null) throw new BatonError('not_available', NOT_BUILT);
    return files;
  };

  const show = (reply: FastifyReply): FastifyReply => {
    const nonce = randomBytes(16).toString('base64url');
    return reply
      .headers({
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': csp(nonce),
        // With `no-referrer`, browsers send `Origin: null` with forms, even to our own origin.
        'referrer-policy': 'same-origin',
      })
      .send(built().index.replaceAll('{nonce}', nonce));
  };

  for (const path of APP_PATHS) {
    app.route({
      method: 'GET',
      url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      exposeHeadRoute: true,
      config: { pattern: path, needs: null, page: true },
      handler: async (_request, reply) => show(reply),
    });
  }

  const pattern = `${ASSETS}{name}`;
  app.route({
    method: 'GET',
    url: `${ASSETS}:name`,
    exposeHeadRoute: true,
    config: { pattern, needs: null },
    handler: async (request, reply) => {
      const { name } = request.params as { name: string };
      const file = built().asset(name);
      if (file === null) throw new BatonError('not_found');
      const encoding = encodingOf(request.headers['accept-encoding']);
      reply.headers({
        'content-type': file.type,
        // All other names contain a hash of the content.
        'cache-control': name === NOTICES ? 'no-cache' : 'public, max-age=31536000, immutable',
        vary: 'accept-encoding',
      });
      if (encoding !== null) reply.header('content-encoding', encoding);
      return reply.send(await file.packed(encoding));
    },
  });
  return { first: () => files?.first ?? [], show };
}
