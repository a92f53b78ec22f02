import { expect, test } from 'vitest';
import { appRig } from '../../test/support/app-rig.ts';
import { createOwnSite } from './own-site.ts';

const site = createOwnSite({
  publicUrl: 'https://baton.example',
  host: 'build-box',
  allowedHosts: ['baton.internal'],
});

function isRefused(host: string | undefined, rawHeaders: string[] = []): boolean {
  try {
    site.checkHost({ headers: host === undefined ? {} : { host }, rawHeaders });
    return false;
  } catch (error) {
    expect(error).toMatchObject({
      code: 'host_refused',
      message: expect.stringMatching(/BATON_PUBLIC_URL.*BATON_ALLOWED_HOSTS/),
    });
    return true;
  }
}

test.each([
  '127.0.0.1',
  '127.0.0.1:8080',
  '[::1]:8080',
  '192.168.1.20:8080',
  'localhost',
  'LOCALHOST:8080',
  'sub.localhost:8080',
  'baton.example',
  'Baton.Example:443',
  'build-box:8080',
  'baton.internal',
])('[X4] Host %s is known', (host) => {
  expect(isRefused(host)).toBe(false);
});

test.each([
  undefined,
  '',
  'evil.example',
  'baton.example.evil.example',
  'evil-baton.example',
  'localhost.evil.example',
  'evillocalhost',
  '127.0.0.1.evil.example',
  '0x7f.1:8080',
  '127.0.0.1@evil.example',
  'localhost:8080:9090',
  'localhost/',
  ' localhost',
  '[::1',
  '[evil]',
])('[X4] Host %s is refused', (host) => {
  expect(isRefused(host)).toBe(true);
});

test('[X4] two Host headers are refused, whichever is first', () => {
  expect(isRefused('localhost', ['Host', 'localhost', 'HOST', 'evil.example'])).toBe(true);
  expect(isRefused('localhost', ['Host', 'localhost', 'Accept', '*/*'])).toBe(false);
});

test.each([
  // The public URL, behind any proxy.
  ['https://baton.example', 'baton.example', true],
  ['https://baton.example', '127.0.0.1:8080', true],
  // Another scheme, port or name is another site.
  ['http://baton.example', 'baton.example', false],
  ['https://baton.example:8443', 'baton.example', false],
  ['https://sub.baton.example', 'baton.example', false],
  // By address, without the public URL.
  ['http://127.0.0.1:8080', '127.0.0.1:8080', true],
  ['https://127.0.0.1:8080', '127.0.0.1:8080', true],
  ['http://127.0.0.1:9090', '127.0.0.1:8080', false],
  ['http://localhost:8080', '127.0.0.1:8080', false],
  ['null', '127.0.0.1:8080', false],
  ['', '127.0.0.1:8080', false],
] as const)('[X4] Origin %s at Host %s is ours: %s', (origin, host, ours) => {
  expect(site.isOurs(origin, host)).toBe(ours);
});

test('[X4] every path except the probes checks the Host, even without a credential', async () => {
  const { app } = appRig();
  const status = async (url: string) =>
    (await app.inject({ url, headers: { host: 'evil.example' } })).statusCode;
  expect(await status('/healthz')).toBe(200);
  expect(await status('/readyz')).toBe(200);
  for (const path of ['/', '/sign-in', '/sign-in/script.js', '/docs', '/metrics', '/nothing']) {
    expect([path, await status(path)]).toEqual([path, 403]);
  }
});
