import { Worker } from 'node:worker_threads';
import { BatonError } from '../../contract/errors.ts';
import type { Hint } from '../../queue/hint.ts';
import { keepShared, SharedLease } from '../../queue/membership/lease-renewal.ts';
import type { Clock, KeepLease, LeaseKeeper } from '../../queue/store.ts';
import { committedValue, isEmptyHint } from '../operations/dialect.ts';
import type { Answer, WriteCall, WriteName } from '../operations/registry.ts';
import { type Call, type FromWriter, fromPlain, type Reply, type ToWriter } from './protocol.ts';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** A thread that serves one writer (serve-writer.ts); exits when the writer is closed. */
export type WriterThread = Pick<Worker, 'on' | 'once' | 'off' | 'postMessage'>;

function startThread(path: string): WriterThread {
  // With type stripping, this file and the thread's are .ts files; in the package, they are .js.
  const entry = new URL(
    `./writer-thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
    import.meta.url,
  );
  return new Worker(entry, { workerData: { path } });
}

/**
 * Represents the writer thread in the main thread. Calls made in one turn of the event loop are
 * sent in one message.
 */
export class Writer {
  readonly #thread: WriterThread;
  readonly #clock: Clock | undefined;
  readonly #onHint: (hint: Hint) => void;
  readonly #waiting = new Map<number, Waiting>();
  readonly #releasing = new Map<string, () => void>();
  #calls: Call[] = [];
  #nextId = 1;
  #closed: Promise<void> | null = null;

  private constructor(
    thread: WriterThread,
    clock: Clock | undefined,
    onHint: (hint: Hint) => void,
  ) {
    this.#thread = thread;
    this.#clock = clock;
    this.#onHint = onHint;
    thread.on('message', (message: FromWriter) => this.#receive(message));
    thread.on('messageerror', () => this.#loseReplies());
    thread.on('error', (error) =>
      this.#fail(error instanceof Error ? error : new Error(String(error))),
    );
    thread.on('exit', () => this.#fail(new BatonError('closed')));
  }

  /** Resolves when the file is locked, migrated and ready for calls. */
  static async open(
    path: string,
    clock: Clock | undefined,
    onHint: (hint: Hint) => void,
    start: (path: string) => WriterThread = startThread,
  ): Promise<Writer> {
    const thread = start(path);
    await new Promise<void>((resolve, reject) => {
      thread.once('error', reject);
      thread.once('message', (message: FromWriter) => {
        thread.off('error', reject);
        if (message.kind === 'failed') reject(fromPlain(message.error));
        else resolve();
      });
    });
    return new Writer(thread, clock, onHint);
  }

  call<N extends WriteName>(write: WriteCall<N>): Promise<Answer<N>> {
    if (this.#closed !== null) return Promise.reject(new BatonError('closed'));
    const id = this.#nextId++;
    if (this.#calls.length === 0) queueMicrotask(() => this.#flush());
    this.#calls.push({ id, write, now: this.#clock?.() ?? null });
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
    });
  }

  keepLease(nodeId: string, options: KeepLease): LeaseKeeper {
    const lease = new SharedLease({ leaseMs: options.leaseMs, sentAt: options.sentAt });
    this.#post({ kind: 'keep', nodeId, buffer: lease.buffer, options });
    return keepShared(lease, options, () => this.#releaseLease(nodeId));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#flush();
    const exited = new Promise<void>((resolve) => {
      this.#thread.once('exit', () => resolve());
    });
    this.#post({ kind: 'close' });
    await exited;
  }

  #releaseLease(nodeId: string): Promise<void> {
    if (this.#closed !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.#releasing.set(nodeId, resolve);
      this.#post({ kind: 'release', nodeId });
    });
  }

  #flush(): void {
    if (this.#calls.length === 0) return;
    const calls = this.#calls;
    this.#calls = [];
    try {
      this.#post({ kind: 'calls', calls });
    } catch (error) {
      // If an argument, such as a function, cannot be sent to a thread, only the call that contains
      // it is rejected.
      if (calls.length === 1) this.#reject(calls[0]!.id, error);
      for (const call of calls.length === 1 ? [] : calls) {
        this.#calls = [call];
        this.#flush();
      }
    }
  }

  #reject(id: number, error: unknown): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.reject(error instanceof Error ? error : new Error(String(error)));
  }

  #post(message: ToWriter): void {
    this.#thread.postMessage(message);
  }

  #receive(message: FromWriter): void {
    if (message.kind === 'replies') for (const reply of message.replies) this.#answer(reply);
    else if (message.kind === 'release') this.#releasing.get(message.nodeId)?.();
    else if (message.kind === 'unread') this.#loseReplies();
  }

  #answer(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('error' in reply) {
      waiting?.reject(fromPlain(reply.error));
      return;
    }
    const { done } = reply;
    try {
      waiting?.resolve(committedValue(done));
    } catch (error) {
      waiting?.reject(error as Error);
    }
    if (!isEmptyHint(done.hint)) this.#onHint(done.hint);
  }

  /**
   * A thread cannot read a message with a value that is nested thousands of levels deep. It is
   * unknown which calls were in it, and whether they took effect, as after a lost connection.
   */
  #loseReplies(): void {
    const error = new BatonError('database_unreachable', 'A response of the database was lost.');
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  /** The thread is gone: rejects all waiting calls. */
  #fail(error: Error): void {
    this.#closed ??= Promise.resolve();
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    for (const resolve of this.#releasing.values()) resolve();
    this.#releasing.clear();
  }
}
