import type { FastifyInstance } from 'fastify';

/** Binds the app and gives the URL, with the port that was really taken. */
export async function listen(app: FastifyInstance, host: string, port: number): Promise<string> {
  await app.listen({ host, port });
  const bound = app.addresses().find((each) => typeof each === 'object');
  if (!bound) throw new Error('The server listens on no address.');
  return `http://${hostInUrl(bound.address)}:${bound.port}`;
}

/** Answers what is under way, for at most `graceMs`; half-sent requests must not hold up a stop. */
export async function close(app: FastifyInstance, graceMs: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), graceMs);
  await app.close().finally(() => clearTimeout(timer));
}

function hostInUrl(address: string): string {
  // The unspecified address is good for binding, not for opening in a browser.
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
