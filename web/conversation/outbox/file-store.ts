import type { PickedFile } from './files.ts';

/*
 * Files of unsent messages. The files are too large for local storage, so they are kept in
 * IndexedDB. If IndexedDB is not available, they are not stored, which is not an error. idb-keyval
 * would save twenty lines here, but it would make the first page larger and keep the database open.
 */

const NAME = 'baton';
const FILES = 'files';

const whenDone = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/** Until the transaction is complete, closing the page loses the file. */
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

export const saveFiles = (name: string, files: readonly PickedFile[]): Promise<unknown> =>
  inStore('readwrite', (store) => store.put(files, name));

/** The stored files; undefined if there are none. */
export const loadFiles = (name: string): Promise<unknown> =>
  inStore<unknown>('readonly', (store) => store.get(name));

export const deleteFiles = (name: string): Promise<unknown> =>
  inStore('readwrite', (store) => store.delete(name));
