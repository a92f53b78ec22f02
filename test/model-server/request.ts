import { z } from 'zod';
import { isAnswer, type Step, scriptIn } from './script.ts';

const Block = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  text: z.string().optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z.unknown().optional(),
});
export type Block = z.output<typeof Block>;

const Message = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string().transform((text) => [{ type: 'text', text }]), z.array(Block)]),
});

/** The relevant part of a request to the Messages API. */
export const MessagesRequest = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  system: z.unknown().optional(),
  tools: z.array(z.looseObject({ name: z.string() })).default([]),
  messages: z.array(Message),
});
export type MessagesRequest = z.output<typeof MessagesRequest>;

export const textOf = (content: readonly Block[]): string =>
  content.map(({ text }) => text ?? '').join('\n');

/** The results of the last step's tools, in the order of its calls. */
export function resultsIn({ messages }: MessagesRequest): Block[] {
  const blocks = (role: string): Block[] =>
    messages.findLast((message) => message.role === role)?.content ?? [];
  const calls = blocks('assistant').map(({ id }) => id);
  return blocks('user')
    .filter(({ type }) => type === 'tool_result')
    .sort((a, b) => calls.indexOf(a.tool_use_id) - calls.indexOf(b.tool_use_id));
}

/**
 * The step that a request is for: the one after those answered since the prompt with the script.
 * `isUsedUp` says whether a failure has occurred often enough.
 */
export function stepOf(
  request: MessagesRequest,
  isUsedUp: (key: string, times: number) => boolean,
  scriptOf: (text: string) => readonly Step[] | null = scriptIn,
): { step: Step; key: string } | null {
  const at = request.messages.findLastIndex(
    ({ role, content }) => role === 'user' && scriptOf(textOf(content)) !== null,
  );
  const prompt = request.messages[at];
  if (prompt === undefined) return null;
  const text = textOf(prompt.content);
  let answered = request.messages.slice(at).filter(({ role }) => role === 'assistant').length;
  for (const [n, step] of (scriptOf(text) ?? []).entries()) {
    const key = `${n} ${text}`;
    if (isAnswer(step)) {
      if (answered-- === 0) return { step, key };
    } else if (step.times === undefined || !isUsedUp(key, step.times)) {
      if (answered === 0) return { step, key };
    }
  }
  return { step: { text: 'The script is over.' }, key: 'over' };
}
