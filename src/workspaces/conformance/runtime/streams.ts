import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'vitest';
import { type Check, run, sh, start } from './rig.ts';

const MEGABYTE = 1_000_000;
const ALL = 100 * MEGABYTE;
/** Allowance for pipes and buffers along the way. */
const BUFFERED = 8 * MEGABYTE;
const GROWTH = 16 * MEGABYTE;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Memory in use, excluding garbage. */
const held = (): number => {
  collectGarbage();
  const { external, heapUsed } = process.memoryUsage();
  return external + heapUsed;
};

/** Counts what arrives, and by how much the memory of this process grows in that time. */
async function counted(stream: Readable): Promise<{ bytes: number; growth: number }> {
  // Memory from before may only be released now.
  let least = held();
  let [bytes, growth, measured] = [0, 0, 0];
  for await (const piece of stream as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes < measured + ALL / 20) continue;
    measured = bytes;
    const now = held();
    least = Math.min(least, now);
    growth = Math.max(growth, now - least);
  }
  return { bytes, growth };
}

export const STREAM_CHECKS: readonly Check[] = [
  {
    name: '[A1] standard output and standard error are separate',
    run: async (under) => {
      const script = 'i=0; while [ $i -lt 200 ]; do echo out; echo err >&2; i=$((i+1)); done';
      const { stdout, stderr } = await run(under, ['/bin/sh', '-c', script]);
      expect(stdout).toBe('out\n'.repeat(200));
      expect(stderr).toBe('err\n'.repeat(200));
    },
  },
  {
    name: '[A1] output that nobody has read yet is still there when the process has ended',
    run: async (under) => {
      const process = await start(under, ['/bin/sh', '-c', 'echo out; echo err >&2']);
      await process.exited;
      const [out, err] = await Promise.all([counted(process.stdout), counted(process.stderr)]);
      expect([out.bytes, err.bytes]).toEqual([4, 4]);
    },
  },
  ...(['stdout', 'stderr'] as const).map((name) => ({
    name: `[E7] 100 MB through ${name} take no memory`,
    run: async (under: Parameters<Check['run']>[0]) => {
      const to = name === 'stdout' ? 1 : 2;
      const process = await start(under, ['/bin/sh', '-c', `head -c ${ALL} /dev/zero >&${to}`]);
      const { bytes, growth } = await counted(process[name]);
      expect(bytes).toBe(ALL);
      expect(growth).toBeLessThan(GROWTH);
      expect(await process.exited).toMatchObject({ code: 0 });
    },
  })),
  {
    name: '[E7] 100 MB through stdin and back arrive whole, and take no memory',
    run: async (under) => {
      const { stdin, stdout } = await start(under, ['cat']);
      const counting = counted(stdout);
      const piece = Buffer.alloc(MEGABYTE, 'x');
      for (let sent = 0; sent < ALL; sent += piece.length) {
        if (!stdin.write(piece)) await once(stdin, 'drain');
      }
      stdin.end();
      const { bytes, growth } = await counting;
      expect(bytes).toBe(ALL);
      expect(growth).toBeLessThan(GROWTH);
    },
  },
  {
    name: '[E7] a process whose output nobody reads waits',
    run: async (under) => {
      // It reports on one stream how much it has written to the other.
      const script = `i=0; while [ $i -lt 100 ]; do head -c ${MEGABYTE} /dev/zero; i=$((i+1)); echo $i >&2; done`;
      const { stdout, stderr, exited } = await start(under, ['/bin/sh', '-c', script]);
      let written = 0;
      stderr.setEncoding('utf8').on('data', (piece: string) => {
        written = Number(piece.trim().split('\n').at(-1)) * MEGABYTE;
      });
      // Without waiting for a reader, all of it is written in a fraction of this time.
      await sh(under, 'sleep 1');
      expect(written).toBeLessThanOrEqual(BUFFERED);
      let read = 0;
      for await (const piece of stdout as AsyncIterable<Buffer>) {
        read += piece.length;
        expect(written - read).toBeLessThanOrEqual(BUFFERED);
      }
      expect(read).toBe(ALL);
      expect(await exited).toMatchObject({ code: 0 });
    },
  },
  {
    name: '[A1] a process that reads no input, or closes its output, harms nobody',
    run: async (under) => {
      const deaf = await start(under, ['/bin/sh', '-c', 'exec <&- >&- 2>&-; exit 5']);
      for (let i = 0; i < 20; i++) deaf.stdin.write(Buffer.alloc(MEGABYTE));
      expect(await deaf.exited).toMatchObject({ code: 5 });
    },
  },
];
