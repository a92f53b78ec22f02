import { expect, test } from 'vitest';
import { addressReader, networkOf, parseNetwork } from './address.ts';

const from = (remoteAddress: string, forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress },
});

test('[H9] [P6] a forwarded address is trusted only from a trusted proxy', () => {
  const addressOf = addressReader(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);
  expect(addressOf(from('198.51.100.1', '203.0.113.5'))).toBe('198.51.100.1');
  expect(addressOf(from('10.1.2.3', '203.0.113.5'))).toBe('203.0.113.5');
  expect(addressOf(from('::ffff:10.1.2.3', '203.0.113.5'))).toBe('203.0.113.5');
  expect(addressOf(from('fd00::1', '2001:DB8:0:0::5'))).toBe('2001:db8::5');
  expect(addressReader()(from('127.0.0.1', '203.0.113.5'))).toBe('127.0.0.1');
});

test('[H9] [P6] addresses that the client itself added are not trusted', () => {
  const addressOf = addressReader(['10.0.0.0/8', '192.0.2.7']);
  expect(addressOf(from('10.0.0.1', '1.1.1.1, 203.0.113.5'))).toBe('203.0.113.5');
  expect(addressOf(from('10.0.0.1', '1.1.1.1, 203.0.113.5, 192.0.2.7'))).toBe('203.0.113.5');
  expect(addressOf(from('10.0.0.1', '10.0.0.9, 10.0.0.8'))).toBe('10.0.0.9');
  for (const nonsense of ['', 'unknown', '203.0.113.5, <script>', '203.0.113.5,,']) {
    expect(addressOf(from('10.0.0.1', nonsense))).toBe('10.0.0.1');
  }
  const long = Array(1000).fill('10.0.0.2').join(',');
  expect(addressOf(from('10.0.0.1', `203.0.113.5,${long}`))).toBe('10.0.0.2');
});

test('an address has one canonical form, with or without a port', () => {
  const addressOf = addressReader(['10.0.0.1']);
  const read = (text: string) => addressOf(from('10.0.0.1', text));
  expect(
    ['203.0.113.5:4711', '[2001:db8::5]:80', '[2001:db8::5]', '::ffff:cb00:7105'].map(read),
  ).toEqual(['203.0.113.5', '2001:db8::5', '2001:db8::5', '203.0.113.5']);
  expect(addressOf({ headers: {}, socket: {} })).toBe('');
});

test('[H9] the network of an IPv6 address is its /64', () => {
  expect(networkOf('203.0.113.5')).toBe('203.0.113.5');
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8:1:2::')).toBe('2001:db8:1:2::/64');
  expect(networkOf('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(networkOf('::1')).toBe('0:0:0:0::/64');
});

test('only addresses and networks are accepted as proxies', () => {
  expect(parseNetwork('10.0.0.0/8')).toEqual({ address: '10.0.0.0', bits: 8 });
  expect(parseNetwork('::1')).toEqual({ address: '::1', bits: 128 });
  for (const no of [
    '',
    'proxy',
    '10.0.0.0/33',
    '10.0.0/8',
    '::1/129',
    '10.0.0.1/',
    '1.2.3.4/8/8',
  ]) {
    expect(parseNetwork(no)).toBeNull();
  }
  expect(() => addressReader(['proxy'])).toThrow(RangeError);
});
