import { ANSWER_MS } from './setup.ts';

export interface Answer {
  readonly status: number;
  /** Error code; null for a success. */
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: the caller checks it
  readonly body: any;
  /** Cursor of the next page of a list. */
  readonly next: string | null;
}

export interface CallOptions {
  readonly key?: string;
  /** Index of the server to call. */
  readonly slot?: number;
  /** The caller gives up after this time. */
  readonly patienceMs?: number;
}

/** Calls the servers over HTTP, without Baton's own client. */
export class Caller {
  readonly urls: readonly string[];
  readonly token: string;
  /** Answers that no caller should get. */
  readonly errors: string[] = [];
  /** How long to wait for an answer, by default. */
  patienceMs = ANSWER_MS;
  readonly #judge: (text: string) => string | null;

  /** `judge` returns the forbidden content of an answer, or null. */
  constructor(
    urls: readonly string[],
    token: string,
    judge: (text: string) => string | null = () => null,
  ) {
    this.urls = urls;
    this.token = token;
    this.#judge = judge;
  }

  /** Null if there was no answer, or one that leaves the outcome open. */
  async call(
    method: string,
    path: string,
    body: unknown,
    { key, slot = 0, patienceMs = this.patienceMs }: CallOptions = {},
  ): Promise<Answer | null> {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${this.urls[slot % this.urls.length]}${path}`, {
        method,
        signal: AbortSignal.timeout(Math.ceil(patienceMs)),
        headers: {
          authorization: `Bearer ${this.token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      text = await answer.text();
    } catch {
      return null;
    }
    const { status } = answer;
    const said = this.#judge(text);
    if (said !== null) this.errors.push(`${method} ${path}: ${status} shows ${said}`);
    // The server is stopping, or its database is down.
    if (status === 503) {
      if (!answer.headers.has('retry-after')) this.errors.push(`${path}: 503 without Retry-After`);
      return null;
    }
    const parsed = parse(text);
    const code = status < 400 ? null : String(parsed?.error?.code ?? 'no code');
    if (status >= 500) this.errors.push(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    const next = answer.headers.get('x-next-cursor');
    return status >= 500 ? null : { status, code, body: parsed, next };
  }

  /** Calls one server after another until one answers; null on timeout. */
  async insist(
    method: string,
    path: string,
    body?: unknown,
    { key, ms = 30_000 }: { key?: string; ms?: number } = {},
  ): Promise<Answer | null> {
    const deadline = performance.now() + ms;
    for (let slot = 0; performance.now() < deadline; slot++) {
      const options = key === undefined ? { slot } : { slot, key };
      const answer = await this.call(method, path, body, options);
      if (answer !== null) return answer;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return null;
  }
}

function parse(text: string) {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
