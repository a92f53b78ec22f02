import { expect, test } from 'vitest';
import { readConfig } from '../../../config/config.ts';
import { TAG_VARIABLE } from '../processes/tag.ts';
import { AGENT_ENV_DEFAULT, agentEnvironment } from './environment.ts';

const SECRETS = {
  BATON_ADMIN_TOKEN: 'a',
  BATON_SECRET_KEY: 'b',
  BATON_DATABASE_URL: 'c',
  PGPASSWORD: 'd',
  PGHOST: 'e',
};

test('[A10] an agent sees what it needs to work and nothing else', () => {
  const basic = {
    PATH: '/bin',
    HOME: '/home/me',
    USER: 'me',
    LOGNAME: 'me',
    SHELL: '/bin/sh',
    LANG: 'ja_JP.UTF-8',
    LC_ALL: 'C',
    LC_CTYPE: 'C',
    TZ: 'Asia/Tokyo',
    TMPDIR: '/tmp',
  };
  const others = { AWS_SECRET_ACCESS_KEY: 'x', NODE_OPTIONS: '--inspect', npm_config_x: 'y' };
  const seen = agentEnvironment({ ...basic, ...SECRETS, ...others, TERM: 'xterm' });
  expect(seen).toEqual({ ...basic, TERM: 'dumb' });
});

test('[A10] provider keys, base URLs and proxies are seen by default', () => {
  const server = Object.fromEntries(AGENT_ENV_DEFAULT.map((name) => [name, 'value']));
  expect(agentEnvironment(server)).toEqual({ ...server, TERM: 'dumb' });
  expect(AGENT_ENV_DEFAULT).toEqual(
    expect.arrayContaining(['ANTHROPIC_API_KEY', 'OPENAI_BASE_URL', 'HTTPS_PROXY', 'no_proxy']),
  );
});

test('[A10] a list takes the place of the default', () => {
  const server = { ANTHROPIC_API_KEY: 'k', MY_TOKEN: 't', TERM: 'xterm', BATON_URL: 'http://x' };
  expect(agentEnvironment(server, ['MY_TOKEN', 'TERM', 'BATON_URL', 'NOT_SET'])).toEqual({
    MY_TOKEN: 't',
    TERM: 'xterm',
    BATON_URL: 'http://x',
  });
});

test('[A10] keys to the server and its database are never seen, even when listed', () => {
  const listed = [...Object.keys(SECRETS), 'baton_admin_token'];
  const server = { ...SECRETS, baton_admin_token: 'f' };
  expect(agentEnvironment(server, listed)).toEqual({ TERM: 'dumb' });
});

test('[A10] a command of Baton that an agent runs accepts the tag', () => {
  expect(() => readConfig([], { [TAG_VARIABLE]: 'i:n:r:1' })).not.toThrow();
});
