import type { Agent, ClientRequest, OutgoingHttpHeaders } from 'node:http';

/** How long a node may take to accept a connection, and to start its response. */
const CONNECT_MS = 3000;
const ANSWER_MS = 60_000;
/** How long a connection may be idle before probes check that its machine is still there. */
const PROBE_AFTER_MS = 10_000;

/** The code of the error when a node did not accept the connection in time. */
export const CONNECT_TIMEOUT = 'CONNECT_TIMEOUT';

export interface NodeRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
  /** Whether to use a connection that is kept for several requests. */
  readonly reuse: boolean;
  readonly signal?: AbortSignal;
}

/** Sends requests to other nodes over connections that stay open. Follows no redirects. */
export class NodeClient {
  readonly #agents = new Map<string, Agent>();

  /** The returned request emits all errors, including connection timeouts. */
  send(to: string, { method, url, headers, body, reuse, signal }: NodeRequest): ClientRequest {
    const { protocol, hostname, port } = new URL(to);
    const http = moduleFor(protocol);
    const sent = http.request({
      protocol,
      // Sockets take an IPv6 address without brackets.
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method,
      path: url,
      headers: body.length === 0 ? headers : { ...headers, 'content-length': body.length },
      agent: reuse ? this.#agentFor(protocol) : false,
      ...(signal === undefined ? {} : { signal }),
    });
    limitTimes(sent, protocol === 'https:' ? 'secureConnect' : 'connect');
    // Once the response has started, whoever reads it handles any errors. Without a listener here,
    // errors would be fatal.
    sent.on('error', () => {});
    sent.end(body);
    return sent;
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }

  #agentFor(protocol: string): Agent {
    const known = this.#agents.get(protocol);
    if (known !== undefined) return known;
    const options = { keepAlive: true, keepAliveMsecs: PROBE_AFTER_MS };
    const agent = new (moduleFor(protocol).Agent)(options);
    this.#agents.set(protocol, agent);
    return agent;
  }
}

function limitTimes(sent: ClientRequest, connected: 'connect' | 'secureConnect'): void {
  const after = (ms: number, code: string, what: string): NodeJS.Timeout => {
    const error = Object.assign(new Error(`The node did not ${what} within ${ms} ms.`), { code });
    return setTimeout(() => sent.destroy(error), ms);
  };
  const answer = after(ANSWER_MS, 'ANSWER_TIMEOUT', 'respond');
  const answered = (): void => clearTimeout(answer);
  sent.once('response', answered).once('upgrade', answered).once('close', answered);
  sent.once('socket', (socket) => {
    if (!socket.connecting) return;
    socket.setKeepAlive(true, PROBE_AFTER_MS);
    const connect = after(CONNECT_MS, CONNECT_TIMEOUT, 'accept a connection');
    socket.once(connected, () => clearTimeout(connect)).once('close', () => clearTimeout(connect));
  });
}

/**
 * Not imported, because `node:http` would also load all of `fetch`, which takes a tenth of the
 * startup time.
 */
const moduleFor = (protocol: string) =>
  process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
