import { expect } from 'vitest';
import type { Rule, Topic } from './driver.ts';
import { print, script } from './subject.ts';

/** Messages for an agent at work; `closed` once its driver accepts no more. */
class Feed implements AsyncIterable<string> {
  readonly taken: string[] = [];
  closed = false;
  readonly #messages: string[] = [];
  #wake = (): void => {};

  put(message: string): void {
    this.#messages.push(message);
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    const done = { done: true, value: undefined } as const;
    return {
      next: async () => {
        while (!this.closed) {
          const value = this.#messages.shift();
          if (value !== undefined) {
            this.taken.push(value);
            return { done: false, value };
          }
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        return done;
      },
      return: async () => {
        this.closed = true;
        this.#wake();
        return done;
      },
    };
  }
}

export const steerRules: Topic = ({ words, does, messageIn }) => {
  const rules: readonly Omit<Rule, 'needs'>[] = [
    {
      title: '[Q11] messages reach an agent at work in order, each once',
      check: async (rig) => {
        const steer = new Feed();
        const hears = (file: string): string =>
          script(does.hears, `printf '%s\\n' "$heard" > ${file}`);
        const play = rig.start(
          script(
            does.takesMessage,
            print(words.begun),
            hears('first'),
            hears('second'),
            print(words.said('hello') + words.succeeded),
          ),
          { steer },
        );
        await play.until(({ events }) => events.length > 0);
        steer.put('one');
        await rig.read('first');
        steer.put('two');
        expect((await play.ended()).outcome).toBe('succeeded');
        expect(messageIn(await rig.read('first'))).toBe('one');
        expect(messageIn(await rig.read('second'))).toBe('two');
      },
    },
    {
      title: '[Q11] an agent that has ended takes no message, and closes its feed',
      check: async (rig) => {
        const steer = new Feed();
        await rig.play(script(does.takesMessage, print(words.begun + words.succeeded)), { steer });
        steer.put('late');
        expect(steer).toMatchObject({ closed: true, taken: [] });
      },
    },
    {
      title: '[Q11] an agent stopped while it waits for a message ends',
      check: async (rig) => {
        const steer = new Feed();
        const play = rig.start(
          script(does.takesMessage, print(words.begun), does.worksUntilInterrupted),
          { steer },
        );
        await play.until(({ events }) => events.length > 0);
        play.stop();
        expect((await play.ended()).outcome).toBe('stopped');
        expect(steer.closed).toBe(true);
      },
    },
  ];
  return rules.map((rule) => ({ ...rule, needs: 'steers' }));
};
