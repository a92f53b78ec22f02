import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import {
  allGone,
  childrenOf,
  descendantsOf,
  root,
  start,
  temporaryDirectory,
} from '../support/processes.ts';

// Runs the sources, not a bundle.
vi.stubEnv('NODE_OPTIONS', '');

const launcher = join(root, 'bin', 'baton.mjs');
const fixture = (name: string) => join(root, 'test', 'fixtures', name);

function up(options: { detached?: boolean } = {}) {
  const args = [launcher, 'up', '--port', '0', '--data-dir', temporaryDirectory()];
  return start(process.execPath, args, options);
}

/** A stop waits a while for a half-sent request. */
async function holdConnection(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on('error', () => {});
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTTP/1.1\r\n');
  await once(socket, 'data'); // the first request is answered, so the second has been seen
}

describe('npm start', () => {
  const npmStart = (options: { detached?: boolean } = {}) => {
    const flags = ['--port', '0', '--data-dir', temporaryDirectory()];
    return start('npm', ['start', '--', ...flags], options);
  };

  test('[O1] prints the URL, answers, and ends with 0 on SIGTERM, leaving nothing', async () => {
    const npm = npmStart();
    const url = await npm.line('Baton is ready: ');
    const health = await fetch(new URL('/healthz', url));
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }]);
    const tree = descendantsOf(npm.pid);
    expect(tree.length).toBeGreaterThanOrEqual(2);
    process.kill(npm.pid, 'SIGTERM');
    expect(await npm.exit).toEqual({ code: 0, signal: null });
    await allGone(tree);
  });

  test('[O1] Ctrl-C reaches npm, launcher and child, and counts once', async () => {
    const npm = npmStart({ detached: true });
    await holdConnection(await npm.line('Baton is ready: '));
    const tree = descendantsOf(npm.pid);
    process.kill(-npm.pid, 'SIGINT');
    expect(await npm.exit).toEqual({ code: 0, signal: null });
    await allGone(tree);
    expect(npm.stderr()).toContain('Stopped');
  });
});

describe('launcher and child', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '[O1] %s to the launcher stops cleanly with exit code 0',
    async (signal) => {
      const baton = up();
      await baton.line('Baton is ready: ');
      const tree = descendantsOf(baton.pid);
      process.kill(baton.pid, signal);
      expect(await baton.exit).toEqual({ code: 0, signal: null });
      await allGone(tree);
    },
  );

  test('[O1] SIGTERM to the child alone stops both cleanly', async () => {
    const baton = up();
    await baton.line('Baton is ready: ');
    for (const child of childrenOf(baton.pid)) process.kill(child, 'SIGTERM');
    expect(await baton.exit).toEqual({ code: 0, signal: null });
  });

  test('[O1] a second signal stops at once', async () => {
    const baton = up();
    await holdConnection(await baton.line('Baton is ready: '));
    const tree = descendantsOf(baton.pid);
    process.kill(baton.pid, 'SIGTERM');
    process.kill(baton.pid, 'SIGINT');
    const { code } = await baton.exit;
    expect([130, 143]).toContain(code);
    expect(baton.stderr()).not.toContain('Stopped');
    await allGone(tree);
  });

  test('[O1] a group signal counts once, each time', async () => {
    const program = start(process.execPath, [fixture('hand-over.mjs'), fixture('count-stops.ts')], {
      detached: true,
    });
    await program.line('listening');
    for (const times of [1, 2, 3]) {
      process.kill(-program.pid, 'SIGINT');
      // The system merges two pending signals into one.
      await Promise.all([program.line(`asked ${times}`), program.line(`passed on ${times}`)]);
    }
    // Signals arrive in order: once the fourth is here, no earlier one can still be pending.
    process.kill(program.pid, 'SIGHUP');
    await program.line('asked 4');
    expect(program.stdout().match(/asked \d \w+/g)).toEqual([
      'asked 1 SIGINT',
      'asked 2 SIGINT',
      'asked 3 SIGINT',
      'asked 4 SIGHUP',
    ]);
  });

  test('[O1] kill -9 of the launcher ends the child', async () => {
    const baton = up();
    await baton.line('Baton is ready: ');
    const tree = descendantsOf(baton.pid);
    expect(tree).not.toEqual([]);
    process.kill(baton.pid, 'SIGKILL');
    await allGone(tree);
  });

  test('[O1] kill -9 of the launcher ends even a child that is too busy to notice', async () => {
    const program = start(process.execPath, [fixture('hand-over.mjs'), fixture('busy.ts')]);
    await program.line('busy');
    const tree = descendantsOf(program.pid);
    process.kill(program.pid, 'SIGKILL');
    await allGone(tree);
  });

  test('[O1] the launcher ends with its child, and with its exit code', async () => {
    const baton = up();
    await baton.line('Baton is ready: ');
    for (const child of childrenOf(baton.pid)) process.kill(child, 'SIGKILL');
    expect(await baton.exit).toEqual({ code: 137, signal: null });
  });
});
