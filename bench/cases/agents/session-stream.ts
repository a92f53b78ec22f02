import { once } from 'node:events';
import { get } from 'node:http';
import type { Json } from '../../../src/contract/values/json.ts';
import { TOKEN } from '../../baton-server.ts';

/** How long to wait for an event. */
const LONGEST_MS = 600_000;

interface Heard {
  readonly type: string;
  readonly payload: Readonly<Record<string, Json>>;
}

/** Follows a session's events over SSE, as a client would. */
export class SessionStream {
  /** In the order of the calls. */
  readonly #waiting = new Set<{ readonly type: string; readonly take: (heard: Heard) => void }>();
  readonly #request: ReturnType<typeof get>;

  private constructor(request: ReturnType<typeof get>) {
    this.#request = request;
  }

  static async open(server: string, sessionId: string, after = 0): Promise<SessionStream> {
    const request = get(`${server}/api/v1/sessions/${sessionId}/events?after=${after}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      agent: false,
    });
    const [answer] = (await once(request, 'response')) as [NodeJS.ReadableStream];
    const stream = new SessionStream(request);
    let rest = '';
    answer.on('error', () => {});
    answer.setEncoding('utf8').on('data', (piece: unknown) => {
      const frames = (rest + String(piece)).split('\n\n');
      rest = frames.pop()!;
      for (const frame of frames) stream.#hear(frame);
    });
    return stream;
  }

  /** The next event of this type; call it before the action that causes the event. */
  next(type: string): Promise<Heard> {
    return new Promise((take, reject) => {
      const late = setTimeout(() => reject(new Error(`no ${type} came`)), LONGEST_MS);
      this.#waiting.add({
        type,
        take: (heard) => {
          clearTimeout(late);
          take(heard);
        },
      });
    });
  }

  /** Waits until a run has ended; throws if it did not succeed. */
  async done(): Promise<void> {
    const { payload } = await this.next('done');
    if (payload['state'] !== 'succeeded') throw new Error(`a run ${payload['state']}`);
  }

  close(): void {
    this.#request.destroy();
  }

  #hear(frame: string): void {
    const type = /^event: (.*)$/m.exec(frame)?.[1];
    const waiter = [...this.#waiting].find((waiting) => waiting.type === type);
    if (waiter === undefined) return;
    this.#waiting.delete(waiter);
    waiter.take(JSON.parse(/^data: (.*)$/m.exec(frame)![1]!) as Heard);
  }
}
