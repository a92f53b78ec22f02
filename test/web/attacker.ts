import { once } from 'node:events';
import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';

/** A different site. */
export async function attacker(pages: Record<string, string>) {
  const cookies: string[] = [];
  const server = createServer((request, response) => {
    if (request.headers.cookie !== undefined) cookies.push(request.headers.cookie);
    const body = pages[request.url ?? ''];
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>attacker</title>${body ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    /**
     * Another port of the same host: browsers send it the same cookies and treat it as same-site.
     */
    neighbour: `http://127.0.0.1:${port}`,
    /** Another site altogether. */
    stranger: `http://attacker.localhost:${port}`,
    /** Cookies that browsers sent it. */
    cookies,
  };
}

/** A form that submits itself. */
export const formTo = (url: string, fields: Record<string, string>, type = ''): string =>
  `<form id="f" method="post" action="${url}" ${type === '' ? '' : `enctype="${type}"`}>${Object.entries(
    fields,
  )
    .map(([name, value]) => `<input name='${name}' value='${value}'>`)
    .join('')}</form><script>document.getElementById('f').submit()</script>`;
