import type { PickedFile } from './files.ts';

/*
 * Files of messages that are not sent yet. They are too large for where the texts are kept, so they
 * are in the browser's database. Where there is none, they are not kept, which is no error.
 */

const NAME = 'baton';
const FILES = 'files';

const whenDone = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Until then it is lost if the page is closed. */
const whenStored = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> {
  try {
    const opening = indexedDB.open(NAME, 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore(FILES);
    const database = await whenDone(opening);
    try {
      const transaction = database.transaction(FILES, mode);
      const stored = whenStored(transaction);
      const [result] = await Promise.all([whenDone(act(transaction.objectStore(FILES))), stored]);
      return result;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

export const keepFiles = (name: string, files: readonly PickedFile[]): Promise<unknown> =>
  inStore('readwrite', (store) => store.put(files, name));

/** As they were put; undefined if they are not there. */
export const keptFiles = (name: string): Promise<unknown> =>
  inStore<unknown>('readonly', (store) => store.get(name));

export const dropFiles = (name: string): Promise<unknown> =>
  inStore('readwrite', (store) => store.delete(name));
