import type { AgentDriver, ToolAnswer, ToolCall, Turn } from '../driver.ts';

/*
 * How the suite makes the agent of one driver behave. The driver starts a real program, a script
 * for `/bin/sh`, that prints the agent's own protocol. So a subject is mostly a vocabulary.
 */

/**
 * Abilities that not every driver has. A driver that lacks one gives the reason, which the suite
 * shows.
 */
export type Need =
  /** Reports the end of its turn before it exits. */
  | 'results'
  /** Asks before each call: `message: 'prompt'` in its capabilities. */
  | 'calls'
  | 'steers'
  | 'resumes'
  | 'spends';

/** A driver, and the parts of a turn that make it start a certain program. */
export interface Agent {
  readonly driver: AgentDriver;
  readonly turn: Pick<Turn, 'agent' | 'message'>;
}

/** One way for an agent to end, with the outcome that the run must have (Q15). */
export interface Ending {
  readonly title: string;
  readonly script: string;
  /** The kind of the outcome, or the class of its error. */
  readonly outcome: string;
}

/** What an agent writes. Words for abilities that it lacks are never used, and may throw. */
export interface Vocabulary {
  /** The agent has started. */
  readonly begun: string;
  said(text: string): string;
  /** Its turn has succeeded. */
  readonly succeeded: string;
  /** Its turn has succeeded and has cost this much. */
  spent(usd: number): string;
  asks(call: ToolCall): string;
  /** A call whose question was answered has ended. */
  called(call: ToolCall): string;
  /** The agent withdraws its question about the call. */
  withdraws(call: ToolCall): string;
}

/** What an agent does, as shell commands. */
export interface Behaviour {
  /** Reads its message, if that comes through its input, and keeps it in `$given`. */
  readonly takesMessage: string;
  /** Works until it is interrupted, then ends its turn on its own. */
  readonly worksUntilInterrupted: string;
  /** Reads the next message and confirms it. The line is in `$heard`. */
  readonly hears: string;
}

export interface DriverSubject {
  readonly name: string;
  /** An agent that runs this script; `folder` is for its program. */
  scripted(script: string, folder: string): Agent;
  /** An agent whose program is at this path. */
  at(program: string): Agent;
  readonly words: Vocabulary;
  readonly does: Behaviour;
  readonly endings: readonly Ending[];
  /** The answer in a line that the agent got. */
  answerIn(line: string): ToolAnswer;
  /** The message in a line that the agent got. */
  messageIn(line: string): string;
  readonly lacks: Readonly<Partial<Record<Need, string>>>;
}

/** A shell command that prints exactly this. */
export const print = (text: string): string =>
  text === '' ? ':' : `printf '%s' '${text.replaceAll("'", `'\\''`)}'`;

/** A script of these commands. */
export const script = (...commands: readonly string[]): string => commands.join('\n');
