import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readWebFiles } from '../../src/server/web/files.ts';
import { Server } from '../support/server-rig.ts';

const MIB = 1024 * 1024;

const memoryOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

/** Opens connections that send requests without waiting for responses, and never read one. */
function flood({ url }: Server, connections: number, requests: string): void {
  for (let i = 0; i < connections; i++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write(requests);
    onTestFinished(() => void socket.destroy());
  }
}

test.runIf(process.platform === 'linux').each([
  ['many pipelined requests on a few connections', 8, 900],
  ['as many connections as an address may have, with 16 requests each', 512, 16],
])(
  '[E4] [H9] a stranger who reads no response takes little memory: %s',
  async (_, connections, requests) => {
    const server = await Server.start();
    const path = readWebFiles()?.first.find((each) => each.endsWith('.js'));
    const get = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    const { pid } = server.program;
    const before = memoryOf(pid);
    flood(server, connections, get.repeat(requests));
    let most = before;
    for (let i = 0; i < 15; i++) {
      await delay(100);
      most = Math.max(most, memoryOf(pid));
    }
    expect((most - before) / MIB).toBeLessThan(100);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  },
);
