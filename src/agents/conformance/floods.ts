import { expect } from 'vitest';
import type { Topic } from './driver.ts';
import { DriverRig } from './rig.ts';
import { print, script } from './subject.ts';

const MIB = 1024 * 1024;
/** Far more than pipes and buffers hold. */
const FLOOD_MIB = 24;
/** How much of an unread flood the pipes, buffers and line reader may hold. */
const HELD_MIB = 4;
const STDERR_MOST = 64 * 1024;

/** Prints the file `chunk` repeatedly, and counts how often. */
const FLOOD = `i=0; while [ $i -lt ${FLOOD_MIB} ]; do cat chunk || exit 1; i=$((i+1)); echo $i > $progress; done`;

export const floodRules: Topic = (subject) => {
  const { words, does } = subject;
  const line = words.said('x'.repeat(1000));
  const chunk = line.repeat(Math.ceil(MIB / line.length));
  return [
    {
      title: '[E7] output is read no faster than its events are taken',
      check: async (rig) => {
        rig.put('chunk', chunk);
        const flood = (progress: string): string =>
          script(
            does.takesMessage,
            print(words.begun),
            `progress=${progress}`,
            FLOOD,
            print(words.succeeded),
          );
        const events = rig.events(flood('untaken'));
        for (let n = 0; n < 10; n++) await events.next();
        // Long enough for the first flood to finish if nothing holds it back.
        const other = new DriverRig(subject);
        other.put('chunk', chunk);
        const { outcome, end } = await other.play(flood('taken'));
        expect(outcome).toBe('succeeded');
        expect(await other.read('taken')).toBe(`${FLOOD_MIB}\n`);
        // The end event keeps only a limited part of the flood.
        expect(JSON.stringify(end).length).toBeLessThan(MIB / 2);
        const written = rig.has('untaken') ? Number(await rig.read('untaken')) : 0;
        expect(written).toBeLessThanOrEqual(HELD_MIB);
        await events.return?.();
        await rig.nothingLeft();
      },
    },
    {
      title: '[A5] a flood of error output does not block the agent, and its end is kept',
      check: async (rig) => {
        rig.put('chunk', 'a word of warning\n'.repeat(MIB / 18));
        const { outcome, end } = await rig.play(
          script(
            does.takesMessage,
            print(words.begun),
            'for i in 1 2 3 4 5 6 7 8; do cat chunk >&2; done; echo last >&2',
            print(words.said('hello') + words.succeeded),
          ),
        );
        expect(outcome).toBe('succeeded');
        expect(end.stderr.length).toBeLessThanOrEqual(STDERR_MOST);
        expect(end.stderr).toMatch(/last\n$/);
      },
    },
    {
      title: '[Q9] an agent whose output nobody takes is stopped all the same',
      check: async (rig) => {
        rig.put('chunk', chunk);
        const stop = new AbortController();
        const commands = script(
          does.takesMessage,
          print(words.begun),
          'while :; do cat chunk; done',
        );
        const events = rig.events(commands, { signal: stop.signal });
        for (let n = 0; n < 2; n++) await events.next();
        stop.abort();
        await rig.nothingLeft();
        await events.return?.();
      },
    },
  ];
};
