import { existsSync, readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type {
  CreatedToken,
  Me,
  Share,
  SignInLink,
  Token,
  User,
} from '../../src/contract/access.ts';
import type { AuditEntry } from '../../src/contract/audit.ts';
import type { MessageReceipt } from '../../src/contract/message.ts';
import type { NodeView } from '../../src/contract/node.ts';
import type { Session } from '../../src/contract/session.ts';
import { root } from '../support/processes.ts';
import { TOKEN } from '../support/server-rig.ts';
import { Desk, ended } from './cli-rig.ts';
import { commandsInOneProcess } from './command-host.ts';

// Many commands, each a process, on a machine that may be busy.
vi.setConfig({ testTimeout: 180_000 });
commandsInOneProcess();

const linesOf = (text: string): string[] => text.trimEnd().split('\n');
const firstLine = (text: string): string => linesOf(text)[0] ?? '';

/** An administrator's server, and a second machine without a login. */
async function rig() {
  const desk = new Desk();
  const server = await desk.server({ env: { BATON_ADMIN_TOKEN: TOKEN } });
  const { url } = server;
  const elsewhere = new Desk();
  const env = { BATON_TOKEN: TOKEN, BATON_URL: url };
  const admin = {
    done: (...args: string[]) => desk.done(args, env),
    json: <T>(...args: string[]) => desk.json<T>(args, env),
  };
  /** Someone with a token, on the second machine. */
  const holder = (token: string) => {
    const own = { BATON_TOKEN: token, BATON_URL: url };
    return {
      done: (...args: string[]) => elsewhere.done(args, own),
      json: <T>(...args: string[]) => elsewhere.json<T>(args, own),
    };
  };
  return { server, url, desk, elsewhere, admin, holder };
}

describe('baton user', () => {
  test('[C1] [X2] add, list, change, lock, unlock, sign in with a link, sign out', async () => {
    const { admin, url } = await rig();
    const added = await admin.done('user', 'add', 'hanako');
    expect([added.code, added.stdout]).toEqual([0, 'Added hanako (operator).\n']);
    expect(added.stderr).toContain('baton user link hanako');
    expect(await admin.json<User>('user', 'set', 'Hanako', '--role', 'viewer')).toMatchObject({
      name: 'hanako',
      role: 'viewer',
    });
    expect((await admin.done('user', 'lock', 'hanako')).stdout).toBe('Disabled hanako.\n');
    const rows = linesOf((await admin.done('user', 'ls')).stdout).map((row) => row.split('\t'));
    expect(rows.map(([, ...rest]) => rest.slice(0, 3))).toEqual([
      ['admin', 'admin', ''],
      ['hanako', 'viewer', 'disabled'],
    ]);
    const locked = await admin.done('user', 'link', 'hanako');
    expect([locked.code, locked.stdout]).toEqual([2, '']);
    await admin.done('user', 'unlock', 'hanako');

    const link = await admin.done('user', 'link', 'hanako');
    expect(link.stdout).toMatch(new RegExp(`^${url}/sign-in\\?code=[\\w-]{43}\n$`));
    expect(link.stderr).toContain('It signs one browser in as hanako and expires in ');
    const page = await fetch(link.stdout.trim(), { redirect: 'manual' });
    expect(page.status).toBeLessThan(400);
    const json = await admin.json<SignInLink>('user', 'link', 'hanako');
    expect(json.url).toContain(json.code);
    expect((await admin.done('user', 'sign-out', 'hanako')).stdout).toBe(
      'Signed hanako out of all browsers.\n',
    );
  });

  test.each([
    [['user'], '"baton user" needs a subcommand.'],
    [['user', 'ad', 'x'], 'Unknown command: user ad.'],
    [['tokn', 'ls'], 'Unknown command: tokn.'],
    [['user', 'add'], 'Missing argument: <name>.'],
    [['user', 'add', 'a b'], '"a b" is not a valid user name.'],
    [['user', 'add', 'x', '--role', 'king'], '--role has an invalid value: "king".'],
    [['user', 'set', 'x'], 'There is nothing to change.'],
    [['token', 'create'], 'Missing argument: <name>.'],
    [['token', 'create', 'x', '--scopes', 'all'], '--scopes has an invalid value: "all".'],
    [
      ['token', 'create', 'x', '--days', '1', '--forever'],
      '--days and --forever cannot be combined.',
    ],
    [['audit', '--from', 'soon'], '--from has an invalid value: "soon".'],
    [['audit', '--action', 'user.ad'], '--action has an invalid value: "user.ad".'],
    [['share', 'x', 'hanako'], '"hanako" is not a valid share.'],
    [['share', 'x', 'hanako:view', '--none'], '--none cannot be combined with users.'],
  ])('[C1] wrong usage exits with 2 and prints three lines: %j', async (args, what) => {
    const { code, stdout, stderr } = await new Desk().done(args);
    const lines = linesOf(stderr);
    expect([code, stdout, lines.length, lines[0]]).toEqual([2, '', 3, `error: ${what}`]);
  });

  test('[C1] help of a group and of its commands', async () => {
    const desk = new Desk();
    const group = await desk.done(['help', 'user']);
    expect(group.stdout).toContain('sign-out <name>');
    expect(await desk.done(['user', '--help'])).toEqual(group);
    const one = await desk.done(['help', 'token', 'create']);
    expect(one.stdout).toContain('Usage: baton token create [flags] <name>');
    expect(await desk.done(['token', 'create', '--help'])).toEqual(one);
    const near = await desk.done(['token', 'revok', 'x']);
    expect(linesOf(near.stderr)[2]).toBe('What to do: run "baton token revoke".');
  });
});

describe('baton token', () => {
  test('[C1] [X2] the token alone is printed, works, and is refused once revoked', async () => {
    const { admin, desk, url, holder } = await rig();
    await admin.done('user', 'add', 'hanako');
    const script = 'TOKEN=$(baton token create ci --user hanako --days 7) && echo "got=$TOKEN"';
    const made = await ended(desk.shell(script, { BATON_TOKEN: TOKEN, BATON_URL: url }));
    const secret = /^got=(baton_token_[\w-]{43})\n$/.exec(made.stdout)?.[1] ?? '';
    expect([made.code, secret]).toEqual([0, expect.stringMatching(/./)]);
    expect(made.stderr).toMatch(/^Scopes: read, run\. Expires on \d{4}-\d\d-\d\d\./);

    const hanako = holder(secret);
    expect((await hanako.done('whoami')).stdout).toBe(
      `hanako (operator) at ${url}; permissions: read, run.\n`,
    );
    const run = await hanako.done('run', '--agent', 'shell', '--name', 'hers', 'echo hello');
    expect([run.code, run.stdout]).toEqual([0, 'hello\n']);
    for (const args of [['token', 'ls'], ['user', 'ls'], ['audit'], ['nodes']]) {
      const refused = await hanako.done(...args);
      expect([refused.code, linesOf(refused.stderr).length, refused.stdout]).toEqual([2, 3, '']);
      expect(refused.stderr).toContain('"forbidden"');
      expect(refused.stderr).toContain('baton whoami');
    }

    const [token] = await admin.json<Token[]>('token', 'ls', '--user', 'hanako');
    expect(token).toMatchObject({ name: 'ci', scopes: ['read', 'run'], channel: 'api' });
    const id = token?.id ?? '';
    for (const wrong of ['123456', 'ffffffff-ffff-4fff-bfff-ffffffffffff']) {
      const { code, stderr } = await admin.done('token', 'revoke', wrong);
      expect([code, firstLine(stderr)]).toEqual([2, `error: There is no token "${wrong}".`]);
    }
    const revoked = await admin.done('token', 'revoke', id.slice(0, 13), '--user', 'hanako');
    expect([revoked.code, revoked.stdout]).toEqual([0, `Revoked token ${id}.\n`]);
    const gone = await hanako.done('ls');
    expect([gone.code, firstLine(gone.stderr)]).toEqual([
      2,
      'error: The server did not accept the token.',
    ]);
    const row = firstLine((await admin.done('token', 'ls', '--user', 'hanako')).stdout);
    expect(row.split('\t').slice(0, 4)).toEqual([id, 'ci', 'revoked', 'read,run']);
    const absent = await admin.done('token', 'create', 'x', '--user', 'nobody');
    expect([absent.code, firstLine(absent.stderr)]).toEqual([
      2,
      'error: There is no user "nobody".',
    ]);
  });

  test('[X2] users create tokens for themselves, with no more than their own permissions', async () => {
    const { admin, holder } = await rig();
    await admin.done('user', 'add', 'hanako', '--role', 'viewer');
    const scopes = ['--scopes', 'read,account'];
    const first = await admin.json<CreatedToken>(
      'token',
      'create',
      'x',
      '--user',
      'hanako',
      ...scopes,
    );
    const hanako = holder(first.token);
    const more = await hanako.done('token', 'create', 'y', '--scopes', 'read,run');
    expect([more.code, more.stdout]).toEqual([2, '']);
    expect(firstLine(more.stderr)).toContain('run');
    const own = await hanako.json<CreatedToken>('token', 'create', 'y', '--forever');
    expect([own.scopes, own.expiresAt]).toEqual([['read'], first.expiresAt]);
    expect((await admin.json<CreatedToken>('token', 'create', 'z', '--forever')).expiresAt).toBe(
      null,
    );
  });
});

describe('baton login', () => {
  test('[C1] [X2] creates its own token, a second login replaces it, logout revokes it', async () => {
    const { url, elsewhere, admin } = await rig();
    const login = () => ended(elsewhere.shell(`echo ${TOKEN} | baton login --url ${url}/`));
    const first = await login();
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toContain('as admin');
    const path = elsewhere.path('.config/baton/credentials.json');
    const kept = () => JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
    const before = kept();
    expect(before['token']).toMatch(/^baton_token_/);
    expect(readFileSync(path, 'utf8')).not.toContain(TOKEN);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await elsewhere.json<Me>(['whoami'])).toMatchObject({
      user: { name: 'admin' },
      channel: 'cli',
      rights: ['read', 'run', 'account', 'admin'],
    });

    expect((await login()).code).toBe(0);
    expect(kept()['tokenId']).not.toBe(before['tokenId']);
    const name = `command line on ${hostname()}`;
    const tokens = async () =>
      (await admin.json<Token[]>('token', 'ls')).map((each) => [
        each.name,
        each.channel,
        each.revokedAt === null,
      ]);
    expect(await tokens()).toEqual([
      [name, 'cli', true],
      [name, 'cli', false],
    ]);

    const out = await elsewhere.done(['logout']);
    expect(out).toEqual({
      code: 0,
      stdout: `Removed ${path} and revoked its token.\n`,
      stderr: '',
    });
    expect(existsSync(path)).toBe(false);
    expect((await tokens()).map(([, , good]) => good)).toEqual([false, false]);
    expect(await elsewhere.json(['logout'])).toEqual({ removed: false, revoked: false });
  });

  test('[C1] a token that cannot create others is itself stored; without a server, logout names the token left', async () => {
    const { server, url, elsewhere, admin } = await rig();
    const { token } = await admin.json<CreatedToken>('token', 'create', 'narrow');
    const narrow = await elsewhere.done(['login', '--url', url], { BATON_TOKEN: token });
    expect([narrow.code, narrow.stderr]).toEqual([
      0,
      expect.stringContaining('the token you entered was stored'),
    ]);
    expect((await elsewhere.done(['logout'])).stdout).toMatch(/^Removed .*json\.\n$/);
    expect((await elsewhere.done(['ls', '--url', url], { BATON_TOKEN: token })).code).toBe(0);

    expect((await elsewhere.done(['login', '--url', url], { BATON_TOKEN: TOKEN })).code).toBe(0);
    await server.kill();
    const lost = await elsewhere.done(['logout']);
    expect([lost.code, lost.stdout]).toEqual([0, expect.stringMatching(/^Removed /)]);
    expect(lost.stderr).toMatch(/was not revoked \(server_unreachable\).*baton token revoke /s);
  });
});

describe('baton audit, nodes, share', () => {
  test('[P6] the log says who did what from where; it is filtered and exported', async () => {
    const { admin, holder } = await rig();
    await admin.done('user', 'add', 'hanako');
    await admin.done('user', 'set', 'hanako', '--role', 'viewer');
    await admin.done('user', 'set', 'hanako', '--role', 'operator');
    const { token, id } = await admin.json<CreatedToken>(
      'token',
      'create',
      'ci',
      '--user',
      'hanako',
    );
    await holder(token).done('run', '--agent', 'shell', '--name', 'hers', 'true');
    await admin.done('token', 'revoke', id);

    const entries = await admin.json<AuditEntry[]>('audit');
    expect(entries.map(({ action }) => action)).toEqual([
      'token.revoke',
      'message.send',
      'session.create',
      'token.create',
      'user.update',
      'user.update',
      'user.create',
    ]);
    for (const entry of entries) expect(entry.address).toBe('127.0.0.1');
    expect(entries[1]?.credential).toBe(`token:${id}`);
    expect(JSON.stringify(entries)).not.toContain(token);

    const lines = linesOf((await admin.done('audit', '--action', 'user.update')).stdout);
    expect(lines.map((line) => line.split('\t').at(-1))).toEqual([
      'role: viewer → operator',
      'role: operator → viewer',
    ]);
    expect(lines[0]?.split('\t').slice(1, 6)).toEqual([
      'admin',
      'api',
      'admin',
      '127.0.0.1',
      'user.update',
    ]);
    const hers = await admin.json<AuditEntry[]>('audit', '--user', 'hanako');
    expect(hers.map(({ action }) => action)).toEqual(['message.send', 'session.create']);
    expect(await admin.json<AuditEntry[]>('audit', '--limit', '1')).toHaveLength(1);
    expect(await admin.json('audit', '--to', '1d')).toEqual([]);
    expect(await admin.json<AuditEntry[]>('audit', '--from', '1h', '--target', id)).toHaveLength(2);

    const exported = await admin.done('audit', '--export', '--user', 'hanako');
    expect(linesOf(exported.stdout).map((line) => JSON.parse(line))).toEqual(hers);
  });

  test('[H6] [X3] nodes are listed; a session is shared and unshared', async () => {
    const { admin, holder } = await rig();
    const [node] = await admin.json<NodeView[]>('nodes');
    expect(node).toMatchObject({ roles: ['api', 'worker'], alive: true });
    const row = (await admin.done('nodes')).stdout.split('\t');
    expect(row.slice(0, 4)).toEqual([node?.id, node?.host, 'api,worker', 'online']);

    for (const name of ['hanako', 'jiro']) await admin.done('user', 'add', name);
    const { token } = await admin.json<CreatedToken>('token', 'create', 'x', '--user', 'jiro');
    const jiro = holder(token);
    await admin.done('run', '--agent', 'shell', '--name', 'ours', 'true');
    const seen = async () => (await jiro.json<Session[]>('ls')).map(({ name }) => name);
    expect(await seen()).toEqual([]);
    expect((await admin.done('share', 'ours')).stdout).toBe('');
    const both = await admin.json<Share[]>('share', 'ours', 'hanako:operate', 'jiro:view');
    expect(both.map(({ userName, level }) => [userName, level])).toEqual([
      ['hanako', 'operate'],
      ['jiro', 'view'],
    ]);
    expect(await admin.json('share', 'ours')).toEqual(both);
    expect(await seen()).toEqual(['ours']);
    const sent = await jiro.done('send', 'ours', 'echo no');
    expect([sent.code, sent.stdout]).toEqual([2, '']);
    const nobody = await admin.done('share', 'ours', 'nobody:view');
    expect([nobody.code, nobody.stderr]).toEqual([2, expect.stringContaining('unknown_user')]);
    expect(await admin.json('share', 'ours')).toEqual(both);
    expect(await admin.json('share', 'ours', '--none')).toEqual([]);
    expect(await seen()).toEqual([]);
  });

  test('[C1] [X3] a name means your own session first, whatever others share with you', async () => {
    const { admin, holder } = await rig();
    const person = async (name: string) => {
      await admin.done('user', 'add', name);
      const { token } = await admin.json<CreatedToken>('token', 'create', 'x', '--user', name);
      return holder(token);
    };
    const hanako = await person('hanako');
    const jiro = await person('jiro');
    const make = ['run', '--agent', 'shell', '--name', 'deploy', '--detach', 'true'];
    const hers = await hanako.json<MessageReceipt>(...make);
    const his = await jiro.json<MessageReceipt>(...make);
    await jiro.done('share', 'deploy', 'hanako:operate');
    const sent = await hanako.json<MessageReceipt>('send', 'deploy', 'true');
    expect(sent.sessionId).toBe(hers.sessionId);
    const whose = await admin.done('send', 'deploy', 'true');
    expect([whose.code, firstLine(whose.stderr)]).toEqual([
      2,
      'error: "deploy" matches several sessions.',
    ]);
    expect(whose.stderr).toContain(his.sessionId);
  });
});

test('[C1] the commands of docs/cli.md about users, tokens, audit and nodes run unchanged', async () => {
  const { desk, url } = await rig();
  const page = readFileSync(join(root, 'docs', 'cli.md'), 'utf8');
  const blocks = [
    ...page.slice(page.indexOf('## Users and tokens')).matchAll(/^```sh\n(.*?)^```/gms),
  ];
  expect(blocks).toHaveLength(2);
  const script = blocks.map(([, text]) => text).join('');
  const env = { BATON_TOKEN: TOKEN, BATON_URL: url };
  const { code, stdout, stderr } = await ended(desk.shell(`set -eu; cd "$HOME"\n${script}`, env));
  expect([code, stderr.match(/Why:/)]).toEqual([0, null]);
  expect(stdout).toContain(`hanako (operator) at ${url}; permissions: read, run.\n`);
  expect(stdout).toContain('\tnightly build\tactive\tread,run\t');
  expect(stdout).toContain('\ttoken.create\ttoken\t');
  expect(stdout).toContain('\tapi,worker\tonline\t');
  expect(readFileSync(desk.path('link.txt'), 'utf8')).toContain(`${url}/sign-in?code=`);
  const exported = linesOf(readFileSync(desk.path('audit.ndjson'), 'utf8'));
  expect(exported.map((line) => (JSON.parse(line) as AuditEntry).action)).toEqual([
    'token.create',
    'user.sign_in_link',
    'user.create',
  ]);
});
