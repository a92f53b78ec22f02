import { BatonError, ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import type { Json } from '../../../src/contract/json.ts';
import { keep, kept, keptNames, parsed } from '../../state/stored.ts';
import { fieldsOf } from '../log/fields.ts';
import { dropFiles, keepFiles, keptFiles } from './file-store.ts';
import type { PickedFile } from './files.ts';
import type { Letter, OnBusy } from './outbox.ts';

/*
 * Messages that are not sent yet, as they are kept in this browser: one entry for each, so that no tab
 * loses those of another, under the person who wrote it, so that nobody sends those of another.
 */

/** A letter as it was left. */
export interface KeptLetter extends Letter {
  /** Why the server did not take it. */
  readonly refusal: BatonError | null;
  /** Names of files that could not be kept. */
  readonly missing: readonly string[];
}

export interface LetterStore {
  /** All of the session, the oldest first. */
  load(): Promise<KeptLetter[]>;
  /** The files of a letter do not change, so they are kept with it once; resolves when they are. */
  keep(letter: Letter, refusal: BatonError | null, isNew: boolean): Promise<unknown>;
  drop(key: string): void;
}

const START = 'baton.letter/';
export const lettersOf = (userId: string): string => `${START}${userId}/`;

/** Of which letter an entry is; null if it is no letter's. */
export function letterAt(name: string): { sessionId: string; key: string } | null {
  if (!name.startsWith(START)) return null;
  const [, sessionId = '', key = ''] = name.slice(START.length).split('/');
  return sessionId === '' || key === '' ? null : { sessionId, key };
}

export function letterStore(userId: string, sessionId: string): LetterStore {
  const start = `${lettersOf(userId)}${sessionId}/`;
  return {
    async load() {
      const entries = keptNames(start).flatMap((name) => {
        const entry = entryOf(parsed(kept(name)));
        return entry === null ? [] : [{ name, ...entry }];
      });
      entries.sort((one, other) => one.at - other.at);
      return Promise.all(
        entries.map(async ({ name, names, ...entry }) => {
          const files = names.length === 0 ? [] : filesOf(await keptFiles(name));
          const missing = files.length === names.length ? [] : names;
          return { key: name.slice(start.length), ...entry, files, missing };
        }),
      );
    },
    async keep({ key, at, text, onBusy, files }, refusal, isNew) {
      const names = files.map(({ name }) => name);
      const why = refusal === null ? null : { code: refusal.code, message: refusal.message };
      keep(start + key, JSON.stringify({ at, text, onBusy, names, refusal: why }));
      if (isNew && files.length > 0) await keepFiles(start + key, files);
    },
    drop(key) {
      keep(start + key, null);
      void dropFiles(start + key);
    },
  };
}

interface Entry extends Pick<Letter, 'at' | 'text' | 'onBusy'> {
  readonly names: readonly string[];
  readonly refusal: BatonError | null;
}

const WAYS: readonly unknown[] = ['enqueue', 'interrupt', 'steer'] satisfies OnBusy[];

/** Another version of the page, or somebody else, may have written it: what is not as ours is nothing. */
export function entryOf(value: unknown): Entry | null {
  const { at, text, onBusy, names, refusal } = fieldsOf(value as Json);
  if (typeof at !== 'number' || typeof text !== 'string' || text === '') return null;
  if (!WAYS.includes(onBusy) || !Array.isArray(names)) return null;
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

/** All of them, or none. */
function filesOf(value: unknown): PickedFile[] {
  if (!Array.isArray(value)) return [];
  const isFile = (each: unknown): each is PickedFile => {
    const { id, name, mediaType, bytes, data } = fieldsOf(each as Json);
    const texts = [id, name, mediaType, data].every((text) => typeof text === 'string');
    return texts && typeof bytes === 'number';
  };
  return value.every(isFile) ? value : [];
}
