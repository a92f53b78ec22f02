import { expect, test } from 'vitest';
import { quotedNames } from './quoted-names.ts';

test.each([
  ['cat "my notes.txt" | head', 'my notes.txt'],
  ["cat 'my notes.txt' | head", 'my notes.txt'],
  ['cat my\\ notes.txt', 'my notes.txt'],
  ['cat "my "notes.txt; ls', 'my notes.txt'],
  ['cat my" "notes.txt; ls', 'my notes.txt'],
  [`cat "my "'notes 2.txt'; ls`, 'my notes 2.txt'],
  ['cat "it\'s.txt" | head', "it's.txt"],
  ['cat notes\\(1\\).txt', 'notes(1).txt'],
  ['cat "a b"/c/d | head', 'a b/c/d'],
  ['cat x/"a b" | head', 'x/a b'],
  ['echo "$(cat "my notes.txt")"', 'my notes.txt'],
  ['echo "$(cat my\\ notes.txt)"', 'my notes.txt'],
  ['bash -c "cat \'my notes.txt\'"', 'my notes.txt'],
  ['bash -c "cat \\"my notes.txt\\""', 'my notes.txt'],
  ['bash -c "cat my\\\\ notes.txt"', 'my notes.txt'],
  ["cat <<END\nit's\nEND\ncat 'my notes.txt'", 'my notes.txt'],
  ['echo # it\'s "\ncat "my notes.txt"', 'my notes.txt'],
  ["echo # it's\ncat my\\ notes.txt", 'my notes.txt'],
  ['grep --file="my notes.txt" x | head', 'my notes.txt'],
  ['git show HEAD:"my notes.txt" | head', 'my notes.txt'],
  ['grep -f"my notes.txt" x | head', 'my notes.txt'],
  ['grep -fmy\\ notes.txt x', 'my notes.txt'],
  ['cat "my notes.txt', 'my notes.txt'],
])('[P7] a name is found however its spaces and quotes are quoted: %j', (command, name) => {
  expect(quotedNames(command)).toContain(name);
});

test('[P7] names that nothing needs to hold together are left to the parts of the command', () => {
  expect(quotedNames('cat a | head')).toEqual(new Set());
  expect(quotedNames('cat "a" | head')).not.toContain('a');
});

test.each([
  '"',
  "'",
  '\\',
  "\\'",
  '" ',
  "'a ",
  '"a b" ',
  'a\\ ',
  '\'"',
  '"a b',
  "#'\n",
  '=:,@',
  '" a',
])('[P7] takes linear time: %j repeated', (piece) => {
  // Processor time does not depend on other programs.
  const start = process.cpuUsage();
  quotedNames(piece.repeat(200_000 / piece.length));
  // Usually a tenth of a second; quadratic time would take a minute.
  expect(process.cpuUsage(start).user / 1000).toBeLessThan(5000);
});

test('[P7] too many names are not compared', () => {
  const many = Array.from({ length: 2000 }, (_, i) => `"a ${i}"`).join(' ');
  expect(quotedNames(`cat ${many} | head`)).toBeNull();
});
