import { expect, test } from 'vitest';
import { machineName } from './host-id.ts';

test.each([
  ['build-7.example.com', 'build-7.example.com'],
  ['山田のMac', 'Mac'],
  ['Taro’s Mac', 'Taro-s-Mac'],
  ['--help', 'help'],
  ['山田', 'localhost'],
  ['x'.repeat(80), 'x'.repeat(60)],
])('[Q23] the name of the machine "%s" can be typed on a command line', (name, expected) => {
  expect(machineName(name)).toBe(expected);
});
