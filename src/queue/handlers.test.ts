import { expect, test } from 'vitest';
import { z } from 'zod';
import { Handlers } from './handlers.ts';

test('[Q17] a type is registered once, under a name that can be stored', () => {
  const handlers = new Handlers();
  handlers.register('mail.send', {});
  expect(() => handlers.register('mail.send', {})).toThrow('already registered');
  for (const name of ['', 'two words', 'x'.repeat(201)]) {
    expect(() => handlers.register(name, {})).toThrow('type');
  }
  for (const maxAttempts of [0, -1, 1.5, 1001]) {
    expect(() => handlers.register('other', { maxAttempts })).toThrow('maxAttempts');
  }
  expect(() => handlers.get('other')).toThrow('"other"');
});

test('[Q17] only types with a handler are executed here', () => {
  const handlers = new Handlers();
  handlers.register('here', { run: () => null });
  handlers.register('elsewhere', {});
  expect(handlers.executable()).toEqual(['here']);
});

test('the handler gets the payload as parsed by its schema', () => {
  const handlers = new Handlers();
  handlers.register('mail', { payload: z.object({ copies: z.int().default(1) }) });
  expect(handlers.get('mail').parse({})).toEqual({ copies: 1 });
});

test('any synchronous Standard Schema is accepted', () => {
  const handlers = new Handlers();
  const issues = [{ message: 'no', path: [{ key: 'a' }, 0] }];
  handlers.register('never', { payload: { '~standard': { validate: () => ({ issues }) } } });
  expect(() => handlers.get('never').parse(1)).toThrow('payload.a.0: no');
  const later = { '~standard': { validate: async () => Promise.reject(new Error('late')) } };
  handlers.register('later', { payload: later });
  expect(() => handlers.get('later').parse(1)).toThrow('asynchronous');
});
