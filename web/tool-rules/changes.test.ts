import { expect, test } from 'vitest';
import { changesOf, withChanges } from './changes.ts';

const rules = (allow: string[], deny: string[] = []) => ({ allow, ask: [], deny });

test('[P1] what others did to rules is found, whatever their order', () => {
  expect(changesOf(rules(['Read', 'Grep']), rules(['Grep', 'Read']))).toBeNull();
  expect(changesOf(rules(['Read', 'Grep']), rules(['Read'], ['Bash(rm)']))).toEqual({
    added: [{ list: 'deny', rule: 'Bash(rm)' }],
    removed: [{ list: 'allow', rule: 'Grep' }],
  });
});

test('[P1] one’s own version takes over what others did, and keeps its own', () => {
  const changes = changesOf(rules(['Read', 'Grep']), rules(['Read', 'Glob'], ['Bash(rm)']))!;
  expect(withChanges(rules(['Read', 'Grep', 'Glob', 'Write']), changes)).toEqual(
    rules(['Read', 'Glob', 'Write'], ['Bash(rm)']),
  );
});

test('[P1] a mark of an enforced rule is a change like others', () => {
  const marked = (enforced: string[]) => ({ ...rules([], ['Bash', 'Write']), enforced });
  const changes = changesOf(marked(['Bash']), marked(['Write']))!;
  expect(changes).toEqual({
    added: [{ list: 'enforced', rule: 'Write' }],
    removed: [{ list: 'enforced', rule: 'Bash' }],
  });
  expect(withChanges(marked(['Bash']), changes)).toEqual(marked(['Write']));
});
