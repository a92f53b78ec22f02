import { expect, it } from 'vitest';
import { fieldOf, fromEditFields, toEditFields } from './edit.ts';

const original = {
  command: 'ls',
  timeout: 5,
  force: true,
  edits: [{ old_string: 'a' }],
  none: null,
};

it('[A7] an unchanged input is returned as it was', () => {
  expect(fromEditFields(toEditFields(original), original)).toEqual({ input: original });
});

it('[A7] an error in an edited input names its field', () => {
  const change = (name: string, value: string) =>
    fromEditFields(
      toEditFields(original).map((each) => (each.name === name ? { ...each, value } : each)),
      original,
    );
  expect(change('command', 'pwd').input).toEqual({ ...original, command: 'pwd' });
  expect(change('force', 'false').input).toMatchObject({ force: false });
  expect([...(change('timeout', 'soon').problems ?? [])]).toEqual([['timeout', 'notANumber']]);
  expect([...(change('timeout', ' ').problems ?? [])]).toEqual([['timeout', 'notANumber']]);
  expect([...(change('edits', '[').problems ?? [])]).toEqual([['edits', 'notJson']]);
  expect([...(change('edits', '{}').problems ?? [])]).toEqual([['edits', 'otherShape']]);
});

it('[A7] the field of a server error is recognised', () => {
  expect(fieldOf({ field: 'input.command' })).toBe('command');
  expect(fieldOf({ field: 'input.edits.0.old_string' })).toBe('edits');
  expect(fieldOf({ field: 'scope' })).toBeNull();
  expect(fieldOf(null)).toBeNull();
});
