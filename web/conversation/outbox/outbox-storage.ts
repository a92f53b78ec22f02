import { fieldsOf } from '../../../src/client/fields.ts';
import { BatonError, ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import { parseStored, readStored, storedNames, writeStored } from '../../state/stored.ts';
import { deleteFiles, loadFiles, saveFiles } from './file-store.ts';
import type { PickedFile } from './files.ts';
import type { OnBusy, OutgoingMessage } from './outbox.ts';

/*
 * Unsent messages, stored in this browser: one entry per message, so that tabs do not overwrite
 * each other, and per user, so that nobody sends another user's messages.
 */

/** A message as it was stored. */
export interface StoredMessage extends OutgoingMessage {
  /** Why the server refused the message. */
  readonly refusal: BatonError | null;
  /** Names of files that could not be stored. */
  readonly missing: readonly string[];
}

export interface OutboxStorage {
  /** All messages of the session, oldest first. */
  load(): Promise<StoredMessage[]>;
  /**
   * Files do not change, so they are saved only with a new message; resolves when they have been
   * saved.
   */
  save(message: OutgoingMessage, refusal: BatonError | null, isNew: boolean): Promise<unknown>;
  drop(key: string): void;
}

const PREFIX = 'baton.outgoing/';
export const outboxPrefix = (userId: string): string => `${PREFIX}${userId}/`;

/** Which message an entry belongs to; null for other entries. */
export function parseOutboxName(name: string): { sessionId: string; key: string } | null {
  if (!name.startsWith(PREFIX)) return null;
  const [, sessionId = '', key = ''] = name.slice(PREFIX.length).split('/');
  return sessionId === '' || key === '' ? null : { sessionId, key };
}

export function outboxStorage(userId: string, sessionId: string): OutboxStorage {
  const prefix = `${outboxPrefix(userId)}${sessionId}/`;
  return {
    async load() {
      const entries = storedNames(prefix).flatMap((name) => {
        const entry = entryOf(parseStored(readStored(name)));
        return entry === null ? [] : [{ name, ...entry }];
      });
      entries.sort((one, other) => one.at - other.at);
      return Promise.all(
        entries.map(async ({ name, names, ...entry }) => {
          const files = names.length === 0 ? [] : filesOf(await loadFiles(name));
          const missing = files.length === names.length ? [] : names;
          return { key: name.slice(prefix.length), ...entry, files, missing };
        }),
      );
    },
    async save({ key, at, text, onBusy, files }, refusal, isNew) {
      const names = files.map(({ name }) => name);
      const why = refusal === null ? null : { code: refusal.code, message: refusal.message };
      writeStored(prefix + key, JSON.stringify({ at, text, onBusy, names, refusal: why }));
      if (isNew && files.length > 0) await saveFiles(prefix + key, files);
    },
    drop(key) {
      writeStored(prefix + key, null);
      void deleteFiles(prefix + key);
    },
  };
}

interface Entry extends Pick<OutgoingMessage, 'at' | 'text' | 'onBusy'> {
  readonly names: readonly string[];
  readonly refusal: BatonError | null;
}

const ON_BUSY: readonly unknown[] = ['enqueue', 'interrupt', 'steer'] satisfies OnBusy[];

/** Another version of the page may have written it; anything of a different shape is ignored. */
export function entryOf(value: unknown): Entry | null {
  const { at, text, onBusy, names, refusal } = fieldsOf(value as Json);
  if (typeof at !== 'number' || typeof text !== 'string' || text === '') return null;
  if (!ON_BUSY.includes(onBusy) || !Array.isArray(names)) return null;
  if (!names.every((name) => typeof name === 'string')) return null;
  return { at, text, onBusy: onBusy as OnBusy, names, refusal: refusalIn(refusal) };
}

function refusalIn(value: unknown): BatonError | null {
  if (value === null || value === undefined) return null;
  const { code, message } = fieldsOf(value as Json);
  const isKnown = typeof code === 'string' && Object.hasOwn(ERRORS, code);
  return new BatonError(
    isKnown ? (code as ErrorCode) : 'internal',
    typeof message === 'string' ? message : undefined,
  );
}

/** All of the files, or none if any of them is broken. */
function filesOf(value: unknown): PickedFile[] {
  if (!Array.isArray(value)) return [];
  const isFile = (each: unknown): each is PickedFile => {
    const { id, name, mediaType, bytes, data } = fieldsOf(each as Json);
    const texts = [id, name, mediaType, data].every((text) => typeof text === 'string');
    return texts && typeof bytes === 'number';
  };
  return value.every(isFile) ? value : [];
}
