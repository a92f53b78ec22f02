import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Parses the messages of a stream as they arrive. */
export class SseReader {
  readonly messages: EventSourceMessage[] = [];
  readonly comments: string[] = [];
  readonly retries: number[] = [];
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onEvent: (message) => this.messages.push(message),
    onComment: (comment) => this.comments.push(comment),
    onRetry: (retry) => this.retries.push(retry),
  });

  constructor(response: Response) {
    this.#reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  }

  get ids(): number[] {
    return this.messages.map(({ id }) => Number(id));
  }

  /** Reads until the condition holds; false if the stream ended or broke before. */
  async until(condition: (reader: SseReader) => boolean): Promise<boolean> {
    while (!condition(this)) {
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: null }));
      if (done) return false;
      this.#parser.feed(this.#decoder.decode(value as Uint8Array, { stream: true }));
    }
    return true;
  }

  /** Reads to the end. */
  end(): Promise<boolean> {
    return this.until(() => false);
  }

  async stop(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }
}
