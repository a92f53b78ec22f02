import { expect, it } from 'vitest';
import { fieldOf, fromEditFields, toEditFields } from './edit.ts';

const asked = { command: 'ls', timeout: 5, force: true, edits: [{ old_string: 'a' }], none: null };

it('[A7] what was not changed comes back as it was', () => {
  expect(fromEditFields(toEditFields(asked), asked)).toEqual({ input: asked });
});

it('[A7] what is wrong with an edited input is told of its field', () => {
  const change = (name: string, value: string) =>
    fromEditFields(
      toEditFields(asked).map((each) => (each.name === name ? { ...each, value } : each)),
      asked,
    );
  expect(change('command', 'pwd').input).toEqual({ ...asked, command: 'pwd' });
  expect(change('force', 'false').input).toMatchObject({ force: false });
  expect([...(change('timeout', 'soon').problems ?? [])]).toEqual([['timeout', 'notANumber']]);
  expect([...(change('timeout', ' ').problems ?? [])]).toEqual([['timeout', 'notANumber']]);
  expect([...(change('edits', '[').problems ?? [])]).toEqual([['edits', 'notJson']]);
  expect([...(change('edits', '{}').problems ?? [])]).toEqual([['edits', 'otherShape']]);
});

it('[A7] the field of a refusal of the server is found', () => {
  expect(fieldOf({ field: 'input.command' })).toBe('command');
  expect(fieldOf({ field: 'input.edits.0.old_string' })).toBe('edits');
  expect(fieldOf({ field: 'scope' })).toBeNull();
  expect(fieldOf(null)).toBeNull();
});
