import { EventEmitter } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { FromWriter, ToWriter } from '../../src/storage/sqlite/protocol.ts';
import { type SqliteOptions, sqliteStore } from '../../src/storage/sqlite/store.ts';
import type { WriterThread } from '../../src/storage/sqlite/writer.ts';

let thread: Worker | undefined;

/** A real store over a real file; its writer shares one thread with those of other tests. */
export const testStore = (options: SqliteOptions) => sqliteStore({ ...options, startThread });

function startThread(path: string): WriterThread {
  thread ??= new Worker(new URL('../fixtures/writers-thread.ts', import.meta.url));
  thread.unref();
  const { port1, port2 } = new MessageChannel();
  thread.postMessage({ path, port: port2 }, [port2]);
  const events = new EventEmitter();
  port1.on('message', (message: FromWriter) => events.emit('message', message));
  port1.on('close', () => events.emit('exit'));
  const postMessage = (message: ToWriter): void => port1.postMessage(message);
  return Object.assign(events, { postMessage }) as unknown as WriterThread;
}
