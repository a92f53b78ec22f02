import type { FastifyInstance } from 'fastify';

/** Binds the app and returns its URL, with the port that was actually bound. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await app.listen({ host, port });
  const bound = app.addresses().find((each) => typeof each === 'object');
  if (!bound) throw new Error('The server is not listening on any address.');
  return `http://${hostInUrl(bound.address)}:${bound.port}`;
}

/**
 * Gives open requests at most `graceMs` to finish; half-sent requests must not delay the shutdown.
 */
export async function close(app: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  await app.close().finally(() => clearTimeout(timer));
}

function hostInUrl(address: string): string {
  // The unspecified address works for binding, but not in a browser.
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
