import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Process } from '../../workspaces/process.ts';
import type { AgentDriver, DriverEvent, Turn } from '../driver.ts';
import { rulesOf } from './driver.ts';
import { DriverRig } from './rig.ts';
import type { DriverSubject } from './subject.ts';
import { claudeSubject } from './subjects/claude.ts';
import { shellSubject } from './subjects/shell.ts';

/* Drivers that are broken on purpose: each is caught, and for the right reason. */

type Run = AgentDriver['run'];
/** A driver with a fault: what it makes of a turn, given how the sound one runs it. */
type Fault = (run: Run, turn: Turn) => AsyncIterable<DriverEvent>;

const broken = (subject: DriverSubject, fault: Fault): DriverSubject => ({
  ...subject,
  scripted: (...given) => {
    const { driver, turn } = subject.scripted(...given);
    return { driver: { ...driver, run: (turn) => fault(driver.run, turn) }, turn };
  },
});

/** Starts processes that are changed in some way. */
const withProcess =
  (changed: (process: Process) => Partial<Process>): Fault =>
  (run, turn) =>
    run({
      ...turn,
      runtime: {
        ...turn.runtime,
        spawn: async (...given) => {
          const started = await turn.runtime.spawn(...given);
          return { ...started, ...changed(started) };
        },
      },
    });

interface Planted {
  readonly what: string;
  readonly fault: Fault;
  /** The beginning of the title of the rule that catches it. */
  readonly rule: string;
  readonly because: RegExp;
  readonly subject?: DriverSubject;
}

const PLANTED: readonly Planted[] = [
  {
    what: 'reads a file of the workspace through node:fs',
    fault: async function* (run, turn) {
      const notes = await readFile(join(turn.runtime.root, 'notes'), 'utf8');
      yield { kind: 'notice', text: notes };
      yield* run(turn);
    },
    rule: '[A1] it works in the workspace',
    because: /ENOENT/,
  },
  {
    what: 'does not drain stderr',
    fault: withProcess(() => ({ stderr: Readable.from([]) })),
    rule: '[A5] a flood of error output',
    because: /never ends/,
  },
  {
    what: 'throws',
    fault: async function* (run, turn) {
      for await (const event of run(turn)) {
        if (event.kind === 'end') throw new Error('thrown by the driver');
        yield event;
      }
    },
    rule: '[A4] a success',
    because: /thrown by the driver/,
  },
  {
    what: 'emits after its end',
    fault: async function* (run, turn) {
      yield* run(turn);
      yield { kind: 'notice', text: 'one more thing' };
    },
    rule: '[A4] a success',
    because: /expected 'notice' to be 'end'/,
  },
  {
    what: 'ends twice',
    fault: async function* (run, turn) {
      for await (const event of run(turn)) {
        yield event;
        if (event.kind === 'end') yield event;
      }
    },
    rule: '[A4] a success',
    because: /to deeply equal \[ 'end' \]/,
  },
  {
    what: 'never reports its end',
    fault: async function* (run, turn) {
      for await (const event of run(turn)) if (event.kind !== 'end') yield event;
    },
    rule: '[A4] a success',
    because: /to deeply equal \[ 'end' \]/,
  },
  {
    what: 'leaves a process',
    fault: withProcess(() => ({ stop: async () => {} })),
    rule: '[A9] a background process',
    because: /processes are left/,
  },
  {
    what: 'ignores that it is to be stopped',
    fault: (run, turn) => run({ ...turn, signal: new AbortController().signal }),
    rule: '[Q9] [A9] a stopped agent that ends when it is interrupted',
    because: /never ends/,
  },
  {
    what: 'starts its agent although it is to be stopped',
    fault: (run, turn) => run({ ...turn, signal: new AbortController().signal }),
    rule: '[Q9] aborted before the start',
    because: /expected 'succeeded' to be 'stopped'/,
  },
  {
    what: 'reads its agent to the end before it reports anything',
    fault: async function* (run, turn) {
      const events: DriverEvent[] = [];
      for await (const event of run(turn)) events.push(event);
      yield* events;
    },
    rule: '[E7] output is read no faster',
    because: /to be less than or equal to/,
  },
  {
    what: "gives its agent the server's environment",
    fault: (run, turn) =>
      run({
        ...turn,
        runtime: {
          ...turn.runtime,
          spawn: (argv, options) => {
            const env = Object.fromEntries(
              Object.entries(process.env).flatMap(([name, value]) =>
                value === undefined ? [] : [[name, value]],
              ),
            );
            return turn.runtime.spawn(argv, { ...options, env: { ...options?.env, ...env } });
          },
        },
      }),
    rule: "[A10] it gets nothing of the server's environment",
    because: /not to contain/,
  },
  {
    what: 'allows calls without asking',
    fault: (run, turn) => run({ ...turn, permit: async () => ({ behavior: 'allow' }) }),
    rule: '[A7] [Q16] every call',
    because: /to deeply equal/,
    subject: claudeSubject,
  },
  {
    what: 'asks about calls that it has not emitted',
    fault: async function* (run, turn) {
      for await (const event of run(turn)) {
        if (event.kind !== 'event' || event.type !== 'agent.tool_use') yield event;
      }
    },
    rule: '[A7] [Q16] every call',
    because: /was asked about unseen/,
    subject: claudeSubject,
  },
];

test.each(PLANTED)('[A1] the suite catches a driver that $what', async (planted) => {
  const subject = broken(planted.subject ?? shellSubject, planted.fault);
  const [rule, ...more] = rulesOf(subject).filter(({ title }) => title.startsWith(planted.rule));
  expect(more).toEqual([]);
  const hangs = planted.because.source === 'never ends';
  const rig = new DriverRig(subject, hangs ? { patienceMs: 1500 } : {});
  try {
    await expect(rule?.check(rig)).rejects.toThrow(planted.because);
  } finally {
    await rig.clear();
  }
});
