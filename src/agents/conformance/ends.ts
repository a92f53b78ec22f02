import { expect } from 'vitest';
import type { Topic } from './driver.ts';
import { print, script } from './subject.ts';

export const endRules: Topic = ({ words, does, endings }) => [
  {
    title: '[A4] a success has what the agent said last, and its exit',
    check: async (rig) => {
      const { outcome, end } = await rig.play(
        script(
          does.takesMessage,
          print(words.begun + words.said('first') + words.said('hello') + words.succeeded),
        ),
      );
      expect(outcome).toBe('succeeded');
      expect(end).toMatchObject({ exitCode: 0, signal: null, stderr: '' });
      expect(end.lastMessage).toContain('hello');
    },
  },
  ...endings.map(
    ({ title, script, outcome }) =>
      ({
        title: `[Q15] ${title}: ${outcome}`,
        check: async (rig) => {
          const permit = async () => ({ behavior: 'allow' }) as const;
          expect((await rig.play(script, { permit })).outcome).toBe(outcome);
        },
      }) satisfies ReturnType<Topic>[number],
  ),
  ...['KILL', 'TERM', 'SEGV'].map(
    (name) =>
      ({
        title: `[Q15] an agent ended by SIG${name} from elsewhere has crashed`,
        check: async (rig) => {
          const { outcome, end } = await rig.play(
            script(does.takesMessage, print(words.begun), `kill -${name} $$`),
          );
          expect(outcome).toBe('agent_crash');
          expect(end).toMatchObject({ exitCode: null, signal: `SIG${name}` });
        },
      }) satisfies ReturnType<Topic>[number],
  ),
  {
    title: '[A9] an agent that stays after its result is stopped, and has succeeded',
    needs: 'results',
    check: async (rig) => {
      const { outcome } = await rig.play(
        script(does.takesMessage, print(words.begun + words.succeeded), 'exec sleep 1000'),
      );
      expect(outcome).toBe('succeeded');
    },
  },
  {
    title: '[A9] an agent that closes its output before it exits still ends',
    check: async (rig) => {
      const { outcome } = await rig.play(
        script(
          does.takesMessage,
          print(words.begun + words.succeeded),
          'exec < /dev/null > /dev/null 2>&1',
          'sleep 0.1',
        ),
      );
      expect(outcome).toBe('succeeded');
    },
  },
  {
    title: '[A9] a background process that holds its output open does not hold up the end',
    check: async (rig) => {
      const { outcome } = await rig.play(
        script(
          does.takesMessage,
          print(words.begun),
          `trap '' INT TERM HUP`,
          '(sleep 1000 &)',
          print(words.succeeded),
        ),
      );
      expect(outcome).toBe('succeeded');
    },
  },
  {
    title: '[A1] a mask that fails is an end, not an exception',
    check: async (rig) => {
      const broken = () => {
        throw new Error('broken');
      };
      const { outcome } = await rig.play(
        script(does.takesMessage, print(words.begun), 'echo warning >&2', print(words.succeeded)),
        { maskStream: () => ({ push: broken, end: broken }) },
      );
      expect(outcome).toBe('unknown');
    },
  },
];
