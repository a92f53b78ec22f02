import { type EventFields, fieldsOf, textOrNull } from '../../src/client/fields.ts';
import type { EventType } from '../../src/contract/events/table.ts';
import type { SessionEvent } from '../../src/contract/session-event.ts';
import type { Language } from './language.ts';

/*
 * One sentence about an event, which the conversation shows on a line of its own. Unlike all other
 * strings, these are in one file for both languages, because a sentence in only one language is of
 * no use. Events that need more than a sentence are handled in conversation/log/build-blocks.ts.
 */

export type EventNotes = {
  readonly [T in EventType]?: Readonly<Record<Language, (fields: EventFields<T>) => string>>;
};

export const EVENT_NOTES: EventNotes = {
  'session.created': {
    en: (fields) => (isFork(fields) ? 'Forked from another session' : 'Session created'),
    ja: (fields) => (isFork(fields) ? '別のセッションの続き' : 'セッションを作成'),
  },
};

const isFork = (fields: EventFields<'session.created'>): boolean =>
  textOrNull(fields, 'forkedFrom') !== null;

const isNoted = (type: string): type is EventType => Object.hasOwn(EVENT_NOTES, type);

export const hasNote = ({ type }: SessionEvent): boolean => isNoted(type);

export const noteOf = ({ type, payload }: SessionEvent, language: Language): string =>
  (isNoted(type) && EVENT_NOTES[type]?.[language](fieldsOf(payload))) || '';
