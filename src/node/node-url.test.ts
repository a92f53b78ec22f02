import { expect, test } from 'vitest';
import { isLoopback, nodeUrlOf, unreachableHosts } from './node-url.ts';

test.each([
  ['http://10.0.0.5:8080', 'http://10.0.0.5:8080'],
  ['http://[2001:db8::5]:8080', 'http://[2001:db8::5]:8080'],
  // What a wildcard address is shown as, too.
  ['http://127.0.0.1:8080', null],
  ['http://[::1]:8080', null],
  // A zone means something on this machine only.
  ['http://[fe80::1%eth0]:8080', null],
])('[X7] a node that listens on %s is reached at %s', (url, expected) => {
  expect(nodeUrlOf(undefined, url)).toBe(expected);
  expect(nodeUrlOf('https://node.internal', url)).toBe('https://node.internal');
});

test('[X7] loopback addresses in every spelling', () => {
  for (const host of ['127.1.2.3', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost']) {
    expect([isLoopback(`http://${host}:1`), host]).toEqual([true, host]);
  }
  for (const host of ['10.0.0.1', '[2001:db8::1]', 'localhost.example', '128.0.0.1']) {
    expect([isLoopback(`http://${host}:1`), host]).toEqual([false, host]);
  }
});

test('[X7] hosts that the others cannot reach are named, if there are others', () => {
  const one = { host: 'one', roles: ['api', 'worker'], url: 'http://10.0.0.1' };
  const two = { host: 'two', roles: ['worker'], url: null };
  expect(unreachableHosts([two, two])).toEqual([]);
  expect(unreachableHosts([one, two])).toEqual(['two']);
  expect(unreachableHosts([one, { ...two, url: 'http://localhost:1' }])).toEqual(['two']);
  expect(unreachableHosts([one, two, { ...two, url: 'http://10.0.0.2' }])).toEqual([]);
  // Sessions are only where there are workers.
  expect(unreachableHosts([one, { ...two, roles: ['api'] }])).toEqual([]);
});
