import { expect, test } from 'vitest';
import { Printer } from './printer.ts';

function rig(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const written: string[] = [];
  const screen = (name: string) => ({
    isTTY,
    write: (text: string) => written.push(`${name}:${text}`),
  });
  const printer = new Printer({ stdout: screen('out'), stderr: screen('err') }, env, 'stderr');
  const write = (text: string, stream: 'stdout' | 'stderr' = 'stdout') =>
    printer.show({ kind: 'text', text, stream });
  return { printer, write, written };
}

test('[C1] a pipe gets agent text unchanged, with a final newline', () => {
  const { printer, write, written } = rig(false);
  write('\x1b]0;title\x07one');
  write('\x1b[2J two');
  printer.show({ kind: 'pause' });
  printer.end();
  expect(written).toEqual(['out:\x1b]0;title\x07one', 'out:\x1b[2J two', 'out:\n']);
});

test('[C1] a terminal gets no control codes, and its colours are reset', () => {
  const { printer, write, written } = rig(true);
  write('\x1b]0;title\x07\x1b[31mred');
  printer.note('a \x1b[2Jnote');
  printer.end();
  expect(written).toEqual([
    'out:\x1b[31mred',
    'out:\n',
    'out:\x1b[0m',
    'err:\x1b[2ma note\x1b[22m\n',
  ]);
});

test('[C1] text quoted in a note can neither leave colours on nor look like another line', () => {
  const { printer, written } = rig(true, { NO_COLOR: '1' });
  printer.note('Workspace ready: /tmp/\x1b[8mhidden');
  printer.note('Session failed: x\n13:59:59  Run 01a1 finished');
  expect(written).toEqual([
    'err:Workspace ready: /tmp/hidden\n',
    'err:Session failed: x\n    13:59:59  Run 01a1 finished\n',
  ]);
});

test('[C1] NO_COLOR leaves notes plain', () => {
  const { printer, written } = rig(true, { NO_COLOR: '1' });
  printer.note('plain');
  expect(written).toEqual(['err:plain\n']);
});

test('[C1] streams and notes do not share a line', () => {
  const { printer, write, written } = rig(false);
  write('out');
  write('bad\n', 'stderr');
  write('more\n');
  printer.note('note');
  expect(written).toEqual(['out:out', 'out:\n', 'err:bad\n', 'out:more\n', 'err:note\n']);
});
