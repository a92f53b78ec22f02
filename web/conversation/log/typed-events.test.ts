import { expect, test } from 'vitest';
import {
  type EventFields,
  fieldsOf,
  itemsIn,
  numberIn,
  textIn,
  textOrNull,
} from '../../../src/client/fields.ts';
import type { EventNotes } from '../../texts/event-notes.ts';
import type { Handlers } from './build-blocks.ts';

/*
 * The page reads events by the names in the event table. The compiler checks this file: it reports
 * each `@ts-expect-error` whose line it accepts. The functions are compiled but never called.
 */

const compiles = (_: (...parts: never[]) => unknown): void => {};

test('[C2] a misspelt field and a misspelt type do not compile in a handler', () => {
  compiles((): Handlers[] => [
    { 'run.handed_back': (_, __, fields) => textIn(fields, 'reason') },
    // @ts-expect-error: a misspelt field
    { 'run.handed_back': (_, __, fields) => textIn(fields, 'reasons') },
    // @ts-expect-error: a misspelt type
    { 'run.hand_back': (to: unknown) => to },
    { 'session.status': (to, event, fields) => to.status(event, fields) },
    // @ts-expect-error: the handler of another event, whose fields are missing
    { 'session.cost': (to, event, fields) => to.status(event, fields) },
  ]);
});

test('[C2] a misspelt field, a misspelt type and a missing language do not compile in a note', () => {
  const ja = () => '';
  compiles((): EventNotes[] => [
    { 'session.moved': { en: (fields) => textIn(fields, 'toName'), ja } },
    // @ts-expect-error: a misspelt field
    { 'session.moved': { en: (fields) => textIn(fields, 'name'), ja } },
    // @ts-expect-error: a misspelt type
    { 'session.move': { en: ja, ja } },
    // @ts-expect-error: a missing language
    { 'session.moved': { ja } },
  ]);
});

test('[C2] a field is read only by its name, and never without a check', () => {
  compiles((fields: EventFields<'agent.tool_result'>) => [
    fields.ok === true,
    // @ts-expect-error: a misspelt field
    fields.okay === true,
    // @ts-expect-error: not checked to be text
    fields.text?.length,
  ]);
  // Several types have in common only the fields that all of them have.
  compiles((fields: EventFields<'run.parked' | 'run.retry_scheduled'>) => [
    fields.error,
    // @ts-expect-error: a field of only one of them
    numberIn(fields, 'until'),
  ]);
});

test('[C2] a value of another version counts as empty', () => {
  const fields = fieldsOf({ text: 1, count: '1', items: {} });
  expect(textIn(fields, 'text')).toBe('');
  expect(textOrNull(fields, 'text')).toBeNull();
  expect(numberIn(fields, 'count')).toBe(0);
  expect(itemsIn(fields, 'items')).toEqual([]);
  expect([fieldsOf(null), fieldsOf([]), fieldsOf('text'), fieldsOf(undefined)]).toEqual([
    {},
    {},
    {},
    {},
  ]);
});
