import { expect } from 'vitest';
import type { Rule, Topic } from './driver.ts';
import { print, script } from './subject.ts';

const IGNORE = `trap '' INT TERM HUP`;
const FOREVER = 'while :; do sleep 0.02; done';

export const stopRules: Topic = ({ words, does }) => {
  const stopped = (title: string, ...work: readonly string[]): Rule => ({
    title: `[Q9] [A9] a stopped agent that ${title} is gone, with everything it started`,
    check: async (rig) => {
      const play = rig.start(
        script(does.takesMessage, print(words.begun), 'echo > working', ...work),
      );
      await rig.read('working');
      await play.until(({ events }) => events.length > 0);
      play.stop();
      expect((await play.ended()).outcome).toBe('stopped');
    },
  });
  return [
    stopped('ends when it is interrupted', does.worksUntilInterrupted),
    stopped('ignores interrupts', `trap '' INT`, FOREVER),
    stopped('ignores everything', IGNORE, FOREVER),
    stopped('has closed its output', IGNORE, 'exec > /dev/null 2>&1', FOREVER),
    stopped(
      'has children elsewhere',
      `setsid sh -c "${IGNORE}; sleep 1000 & wait" &`,
      '(setsid sleep 1000 &)',
      FOREVER,
    ),
    {
      title: '[Q9] an agent aborted while it starts is stopped',
      check: async (rig) => {
        const stop = new AbortController();
        const play = rig.start(script(does.takesMessage, print(words.begun), FOREVER), {
          signal: stop.signal,
          wrap: (driver) => ({
            ...driver,
            run: (turn) =>
              driver.run({
                ...turn,
                runtime: {
                  ...turn.runtime,
                  spawn: async (...given) => {
                    const started = await turn.runtime.spawn(...given);
                    stop.abort();
                    return started;
                  },
                },
              }),
          }),
        });
        expect((await play.ended()).outcome).toBe('stopped');
      },
    },
    {
      title: '[Q9] an agent aborted after it has ended keeps its outcome',
      check: async (rig) => {
        const play = rig.start(script(does.takesMessage, print(words.begun + words.succeeded)));
        await play.ended();
        play.stop();
        expect((await play.ended()).outcome).toBe('succeeded');
      },
    },
    {
      title: '[A9] a consumer that leaves early leaves nothing running',
      check: async (rig) => {
        const events = rig.events(script(does.takesMessage, print(words.begun), IGNORE, FOREVER));
        await events.next();
        await events.return?.();
        expect(rig.alive).toEqual([]);
      },
    },
  ];
};
