import { expect } from 'vitest';
import type { ToolAnswer, ToolCall, Turn } from '../driver.ts';
import type { Rule, Topic } from './driver.ts';
import { print, script } from './subject.ts';

const CALL: ToolCall = { id: 'call-1', tool: 'Bash', input: { command: 'echo ok' } };
const OTHER: ToolCall = { id: 'call-2', tool: 'Read', input: { file_path: 'notes' } };
/** Reads the answer to a question into a file; `none` if there is none. */
const answer = (file: string): string =>
  `read -r answer || answer=none; printf '%s\\n' "$answer" > ${file}`;

export const approvalRules: Topic = ({ words, does, answerIn }) => {
  const begins = script(does.takesMessage, print(words.begun));
  /** An agent that asks once, and the answer it gets. */
  const answered = (
    title: string,
    permit: Turn['permit'],
    expected: ToolAnswer,
  ): Omit<Rule, 'needs'> => ({
    title,
    check: async (rig) => {
      const asksOnce = script(begins, print(words.asks(CALL)), answer('answer'));
      const { outcome } = await rig.play(script(asksOnce, print(words.succeeded)), {
        ...(permit !== undefined && { permit }),
      });
      expect(outcome).toBe('succeeded');
      expect(answerIn(await rig.read('answer'))).toEqual(expected);
    },
  });
  const rules: readonly Omit<Rule, 'needs'>[] = [
    {
      title: '[A7] [Q16] every call is emitted, then asked about, then made',
      check: async (rig) => {
        const made = (call: ToolCall, file: string): string =>
          script(print(words.asks(call)), answer(file), print(words.called(call)));
        const play = await rig.play(
          script(begins, made(CALL, 'one'), made(OTHER, 'two'), print(words.succeeded)),
          {
            permit: async ({ id }) => {
              expect(rig.has(id === CALL.id ? 'one' : 'two')).toBe(false);
              return { behavior: 'allow' };
            },
          },
        );
        expect(play.outcome).toBe('succeeded');
        expect(play.asked).toEqual([CALL, OTHER]);
        expect(play.payloads('agent.tool_use')).toEqual([CALL, OTHER]);
        expect(play.payloads('agent.tool_result')).toMatchObject([
          { id: CALL.id, ok: true },
          { id: OTHER.id, ok: true },
        ]);
        expect(answerIn(await rig.read('two'))).toEqual({ behavior: 'allow', input: OTHER.input });
      },
    },
    answered(
      '[A7] a denied call is denied with its message',
      async () => ({ behavior: 'deny', message: 'not today' }),
      { behavior: 'deny', message: 'not today' },
    ),
    answered(
      '[A7] an allowed call has the input that a person edited',
      async () => ({ behavior: 'allow', input: { command: 'true' } }),
      { behavior: 'allow', input: { command: 'true' } },
    ),
    answered('[A7] without anyone to ask, a call is denied', undefined, {
      behavior: 'deny',
      message: expect.any(String) as unknown as string,
    }),
    answered(
      '[A7] a question that could not be asked is denied',
      () => Promise.reject(new Error('broken')),
      { behavior: 'deny', message: expect.stringContaining('broken') as unknown as string },
    ),
    {
      title: '[A7] a question that the agent withdraws gets no answer',
      check: async (rig) => {
        const { outcome } = await rig.play(
          script(
            begins,
            print(words.asks(CALL) + words.withdraws(CALL) + words.succeeded),
            answer('answer'),
          ),
          {
            permit: async (_call, withdrawn) => {
              await new Promise((resolve) => withdrawn.addEventListener('abort', resolve));
              return { behavior: 'allow' };
            },
          },
        );
        expect(outcome).toBe('succeeded');
        expect(await rig.read('answer')).toBe('none\n');
      },
    },
    {
      title: '[A7] [Q9] stopped with an open question, it ends; the question is not withdrawn',
      check: async (rig) => {
        const late = Promise.withResolvers<ToolAnswer>();
        let question: AbortSignal | undefined;
        const play = rig.start(
          script(begins, print(words.asks(CALL)), 'cat > /dev/null', 'exec sleep 1000'),
          {
            permit: (_call, withdrawn) => {
              question = withdrawn;
              return late.promise;
            },
          },
        );
        await play.until(({ asked }) => asked.length > 0);
        play.stop();
        expect((await play.ended()).outcome).toBe('stopped');
        expect(question?.aborted).toBe(false);
        late.resolve({ behavior: 'allow' });
        await late.promise;
      },
    },
  ];
  return rules.map((rule) => ({ ...rule, needs: 'calls' }));
};
