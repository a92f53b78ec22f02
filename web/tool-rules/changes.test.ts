import { expect, test } from 'vitest';
import { changesOf, withChanges } from './changes.ts';

const rules = (allow: string[], deny: string[] = []) => ({ allow, ask: [], deny });

test('[P1] changes by others are detected, whatever the order', () => {
  expect(changesOf(rules(['Read', 'Grep']), rules(['Grep', 'Read']))).toBeNull();
  expect(changesOf(rules(['Read', 'Grep']), rules(['Read'], ['Bash(rm)']))).toEqual({
    added: [{ list: 'deny', rule: 'Bash(rm)' }],
    removed: [{ list: 'allow', rule: 'Grep' }],
  });
});

test('[P1] one’s own version merges the changes of others and keeps its own', () => {
  const changes = changesOf(rules(['Read', 'Grep']), rules(['Read', 'Glob'], ['Bash(rm)']))!;
  expect(withChanges(rules(['Read', 'Grep', 'Glob', 'Write']), changes)).toEqual(
    rules(['Read', 'Glob', 'Write'], ['Bash(rm)']),
  );
});

test('[P1] enforcing a rule is a change like any other', () => {
  const withEnforced = (enforced: string[]) => ({ ...rules([], ['Bash', 'Write']), enforced });
  const changes = changesOf(withEnforced(['Bash']), withEnforced(['Write']))!;
  expect(changes).toEqual({
    added: [{ list: 'enforced', rule: 'Write' }],
    removed: [{ list: 'enforced', rule: 'Bash' }],
  });
  expect(withChanges(withEnforced(['Bash']), changes)).toEqual(withEnforced(['Write']));
});
