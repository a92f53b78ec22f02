import { expect, test, vi } from 'vitest';
import { type Listing, printList } from './listing.ts';

interface Item {
  readonly name: string;
  readonly note: string;
}

const listing: Listing<Item> = {
  columns: [
    { head: 'NAME', text: ({ name }) => name, flexible: true },
    { head: 'NOTE', text: ({ note }) => note },
  ],
  fields: ({ name, note }) => [name, note, null, 3],
  empty: 'No items.',
};
const hostile: Item = { name: 'a\x1b[2J\x1b]0;title\x07b\u009b1A\nc', note: '' };

function printed(isTTY: boolean, items: readonly Item[], json = false): string {
  const { stdout } = process;
  const before = stdout.isTTY;
  stdout.isTTY = isTTY;
  let text = '';
  const spy = vi.spyOn(stdout, 'write').mockImplementation((piece) => {
    text += String(piece);
    return true;
  });
  printList(items, json, listing);
  spy.mockRestore();
  stdout.isTTY = before;
  return text;
}

test('[C1] text written by others can neither take over the terminal nor break the lines of a pipe', () => {
  expect(printed(false, [hostile])).toBe('ab c\t\t\t3\n');
  vi.stubEnv('NO_COLOR', '1');
  expect(printed(true, [hostile])).toBe('NAME\nab c\n');
  vi.unstubAllEnvs();
  const json = printed(true, [hostile], true);
  expect(json).not.toMatch(/[^\P{Cc}\n]/u);
  expect(JSON.parse(json)).toEqual([hostile]);
});

test('[C1] an empty list: a sentence for a person, nothing for a pipe, [] for a program', () => {
  expect(printed(true, [])).toBe('No items.\n');
  expect(printed(false, [])).toBe('');
  expect(printed(true, [], true)).toBe('[]\n');
});
