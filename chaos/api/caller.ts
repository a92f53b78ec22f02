import { ANSWER_MS } from './setup.ts';

export interface Answer {
  readonly status: number;
  /** Of an error. */
  readonly code: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: judged by whoever asked
  readonly body: any;
  /** Of a list: where its next page begins. */
  readonly next: string | null;
}

export interface CallOptions {
  readonly key?: string;
  /** Which server is asked. */
  readonly place?: number;
  /** The caller leaves after so long, whatever the server is doing. */
  readonly patienceMs?: number;
}

/** Speaks HTTP to the servers, and knows nothing of Baton's own client. */
export class Caller {
  readonly urls: readonly string[];
  readonly token: string;
  /** Answers nobody should get. */
  readonly errors: string[] = [];
  /** How long an answer is waited for, unless a call says otherwise. */
  patienceMs = ANSWER_MS;
  readonly #judge: (text: string) => string | null;

  /** `judge` says what an answer must not contain, if it does. */
  constructor(
    urls: readonly string[],
    token: string,
    judge: (text: string) => string | null = () => null,
  ) {
    this.urls = urls;
    this.token = token;
    this.#judge = judge;
  }

  /** Null if there was no answer, or none that says what happened. */
  async call(
    method: string,
    path: string,
    body: unknown,
    { key, place = 0, patienceMs = this.patienceMs }: CallOptions = {},
  ): Promise<Answer | null> {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(`${this.urls[place % this.urls.length]}${path}`, {
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
    // The server stops, or its database is away.
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

  /** Asked of one server after the other until one answers; null after the time. */
  async insist(
    method: string,
    path: string,
    body?: unknown,
    { key, ms = 30_000 }: { key?: string; ms?: number } = {},
  ): Promise<Answer | null> {
    const deadline = performance.now() + ms;
    for (let place = 0; performance.now() < deadline; place++) {
      const options = key === undefined ? { place } : { place, key };
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
