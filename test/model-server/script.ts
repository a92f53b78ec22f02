import { z } from 'zod';

/*
 * A prompt contains the model's answers, step by step, so the server needs no memory of conversations:
 * the number of assistant turns since the prompt gives the step.
 */

const ToolUse = z.strictObject({
  name: z.string(),
  input: z.record(z.string(), z.json()),
  id: z.string().optional(),
});

/** The expected result of one of the previous step's tools, in order. */
const ExpectedResult = z.strictObject({
  error: z.boolean().default(false),
  includes: z.string().default(''),
});

const AnswerStep = z.strictObject({
  thinking: z.string().optional(),
  text: z.string().optional(),
  tools: z.array(ToolUse).optional(),
  results: z.array(ExpectedResult).optional(),
  usage: z.record(z.string(), z.int()).optional(),
  /** Waits under this name until the test releases it, before the first byte. */
  hold: z.string().optional(),
  /** The same after all text is sent, before the answer ends. */
  holdEnd: z.string().optional(),
  /** Characters per delta; by default there is a single delta. */
  piece: z.int().positive().optional(),
  /** Bytes per write to the socket. */
  bytes: z.int().positive().optional(),
});

const times = z.int().positive().optional();
/** Fails `times` times, then the next step follows; by default it always fails. */
const StatusStep = z.strictObject({
  status: z.int(),
  type: z.string().optional(),
  message: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  times,
});
/** The connection breaks, before the first byte or after some text. */
const DropStep = z.strictObject({ drop: z.enum(['at once', 'in text']), times });
/** An error event in the middle of the stream. */
const ErrorStep = z.strictObject({ error: z.string(), times });

const Step = z.union([AnswerStep, StatusStep, DropStep, ErrorStep]);
export type AnswerStep = z.output<typeof AnswerStep>;
export type Step = z.output<typeof Step>;
export type StepInput = z.input<typeof Step>;

const BEGIN = '[[model-script ';
const END = ' model-script]]';

/** A prompt with a script; a step may hold another one, for a subagent. */
export const scripted = (steps: readonly StepInput[], text = 'Do as the script says.'): string => {
  const inner = JSON.stringify(steps)
    .replaceAll(BEGIN, `\\u005b${BEGIN.slice(1)}`)
    .replaceAll(END, `${END.slice(0, -1)}\\u005d`);
  return `${text}\n${BEGIN}${inner}${END}`;
};

/** The last script in a text; null if there is none. */
export function scriptIn(text: string): Step[] | null {
  const from = text.lastIndexOf(BEGIN);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) return null;
  return z.array(Step).parse(JSON.parse(text.slice(from + BEGIN.length, to)));
}

/** Scripts by prompt, for prompts that people see and that must not contain the script. */
export const scriptsFor =
  (scripts: Readonly<Record<string, readonly StepInput[]>>) =>
  (text: string): Step[] | null => {
    const prompt = Object.keys(scripts).find((each) => text.includes(each));
    return prompt === undefined ? scriptIn(text) : z.array(Step).parse(scripts[prompt]);
  };

export const isAnswer = (step: Step): step is AnswerStep =>
  !('status' in step || 'drop' in step || 'error' in step);
