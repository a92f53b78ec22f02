import { expect, test } from 'vitest';
import { checkOrigin, checkSignInOrigin, checkUpgradeOrigin } from './origin.ts';
import { createOwnSite } from './own-site.ts';

const site = createOwnSite();
const host = '127.0.0.1:8080';
const ours = `http://${host}`;
const theirs = 'http://127.0.0.1:9090';

function outcome(check: () => void): 'passes' | 'refused' {
  try {
    check();
    return 'passes';
  } catch (error) {
    expect(error).toMatchObject({ code: 'origin_refused', status: 403 });
    return 'refused';
  }
}

const navigation = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

test.each([
  ['POST', { origin: ours }, 'passes'],
  ['POST', { origin: ours, 'sec-fetch-site': 'same-origin' }, 'passes'],
  ['POST', {}, 'refused'],
  ['DELETE', {}, 'refused'],
  ['PUT', { 'sec-fetch-site': 'same-origin' }, 'refused'],
  ['POST', { origin: 'null' }, 'refused'],
  ['POST', { origin: theirs }, 'refused'],
  ['POST', { origin: theirs, 'sec-fetch-site': 'same-site' }, 'refused'],
  ['POST', { origin: ours, 'sec-fetch-site': 'same-site' }, 'refused'],
  ['POST', { origin: ours, 'sec-fetch-site': 'cross-site', ...navigation }, 'refused'],
  ['PATCH', { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' }, 'refused'],
  ['GET', {}, 'passes'],
  ['GET', { 'sec-fetch-site': 'none', ...navigation }, 'passes'],
  ['GET', { 'sec-fetch-site': 'same-origin' }, 'passes'],
  ['GET', { 'sec-fetch-site': 'cross-site', ...navigation }, 'passes'],
  ['GET', { 'sec-fetch-site': 'same-site', ...navigation }, 'passes'],
  ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 'refused'],
  ['GET', { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 'refused'],
  [
    'GET',
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    'refused',
  ],
  ['GET', { origin: theirs }, 'refused'],
  ['HEAD', { 'sec-fetch-site': 'cross-site' }, 'refused'],
  ['OPTIONS', { origin: theirs }, 'refused'],
] as const)('[X4] with a cookie, %s from %j %s', (method, headers, expected) => {
  expect(outcome(() => checkOrigin(method, { host, ...headers }, site))).toBe(expected);
});

test.each([
  [{ origin: ours }, 'passes'],
  [{}, 'refused'],
  [{ origin: theirs }, 'refused'],
  [{ origin: 'null' }, 'refused'],
] as const)('[X4] a WebSocket with a cookie from %j %s', (headers, expected) => {
  expect(outcome(() => checkUpgradeOrigin({ host, ...headers }, site))).toBe(expected);
});

test.each([
  [{}, 'passes'],
  [{ origin: ours, 'sec-fetch-site': 'same-origin' }, 'passes'],
  [{ origin: theirs }, 'refused'],
  [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, 'refused'],
  [{ 'sec-fetch-site': 'same-site' }, 'refused'],
] as const)('[X4] signing in from %j %s', (headers, expected) => {
  expect(outcome(() => checkSignInOrigin({ host, ...headers }, site))).toBe(expected);
});
