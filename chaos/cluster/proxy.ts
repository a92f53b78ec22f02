import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Headers that apply to a single connection. */
const HOP_BY_HOP = ['connection', 'keep-alive', 'transfer-encoding'];

/**
 * The simplest possible load balancer: every request goes to the next node, even on a kept
 * connection; a node that does not listen is skipped. A request that a node has begun to read is
 * never sent again: if the node does not answer, the client gets no answer.
 */
export class RoundRobin {
  /** The number of requests and upgrades that each node took. */
  readonly taken: number[];
  readonly #ports: readonly number[];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Duplex>();
  readonly #server: Server;
  #next = 0;

  constructor(ports: readonly number[]) {
    this.#ports = ports;
    this.taken = ports.map(() => 0);
    this.#server = createServer((incoming, outgoing) => void this.#pass(incoming, outgoing));
    this.#server.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head));
    this.#server.on('connection', (socket: Socket) => this.#keep(socket));
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}`;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#agent.destroy();
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await once(this.#server, 'close');
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body: Buffer[] = [];
    try {
      for await (const piece of incoming) body.push(piece as Buffer);
    } catch {
      outgoing.destroy();
      return;
    }
    const headers = endToEnd(incoming.headers);
    headers['x-forwarded-for'] = incoming.socket.remoteAddress ?? '';
    const bytes = Buffer.concat(body);
    if (bytes.length > 0) headers['content-length'] = bytes.length;
    const attempt = (node: number, left: number): void => {
      const { method, url } = incoming;
      const to = { host: '127.0.0.1', port: this.#ports[node]!, method, path: url };
      const upstream = request({ ...to, headers, agent: this.#agent });
      outgoing.once('close', () => upstream.destroy());
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && left > 0) attempt(this.#after(node), left - 1);
        else outgoing.destroy();
      });
      upstream.on('response', (answer) => {
        this.taken[node]!++;
        outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
        outgoing.flushHeaders();
        answer.on('error', () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      upstream.end(bytes);
    };
    attempt(this.#turn(), this.#ports.length - 1);
  }

  #upgrade(incoming: IncomingMessage, client: Duplex, head: Buffer): void {
    const lines = [`${incoming.method} ${incoming.url} HTTP/1.1`];
    for (let i = 0; i < incoming.rawHeaders.length; i += 2) {
      lines.push(`${incoming.rawHeaders[i]}: ${incoming.rawHeaders[i + 1]}`);
    }
    const attempt = (node: number, left: number): void => {
      const upstream = connect(this.#ports[node]!, '127.0.0.1');
      this.#keep(upstream);
      upstream.once('connect', () => {
        this.taken[node]!++;
        upstream.write(`${lines.join('\r\n')}\r\n\r\n`);
        upstream.write(head);
        upstream.pipe(client);
        client.pipe(upstream);
      });
      client.once('close', () => upstream.destroy());
      upstream.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED' && left > 0) attempt(this.#after(node), left - 1);
        else client.destroy();
      });
      upstream.once('close', (failed) => {
        if (!failed) client.destroy();
      });
    };
    client.on('error', () => {});
    attempt(this.#turn(), this.#ports.length - 1);
  }

  #turn(): number {
    const node = this.#next;
    this.#next = this.#after(node);
    return node;
  }

  readonly #after = (node: number): number => (node + 1) % this.#ports.length;

  #keep(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
  }
}

function endToEnd(
  headers: NodeJS.Dict<string | string[]>,
): NodeJS.Dict<string | string[] | number> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.includes(name)));
}
