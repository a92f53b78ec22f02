import type { Arguments, Flags } from './input/args.ts';

/** What a command knows of the process around it. */
export interface Surroundings {
  /** Aborted at the first Ctrl-C or SIGTERM, for commands that end in their own way. */
  readonly stop: AbortSignal;
  /** Waited for, shortly, when a second signal ends the command at once. */
  readonly lastWords: Set<Promise<unknown>>;
}

/** The exit codes of all commands; docs/cli.md lists them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** Wrong usage, or refused: nothing was started or changed. */
  refused: 2,
  unreachable: 3,
  cancelled: 130,
} as const;

interface Described {
  readonly summary: string;
  /** What follows the name, such as `[flags] "message"`. */
  readonly usage: string;
  /** Lines of the help below the usage. */
  readonly about?: readonly string[];
}

/** A command whose flags are its own. */
export interface ClientCommand<F extends Flags = Flags> extends Described {
  readonly flags: F;
  run(given: Arguments<F>, around: Surroundings): Promise<number>;
}

/** A command that takes the settings of a node. */
export interface NodeCommand extends Described {
  readonly settings: true;
  readonly flags: Flags;
  run(args: string[], around: Surroundings): Promise<number>;
}

/** A word that takes another behind it, such as `token create`. */
export interface CommandGroup {
  readonly summary: string;
  readonly about?: readonly string[];
  readonly commands: Readonly<Record<string, Command>>;
}

export type Command = ClientCommand | NodeCommand;

/** Keeps the types of its flags for `run`, and gives a command like any other. */
export const clientCommand = <F extends Flags>(command: ClientCommand<F>): Command =>
  command as unknown as Command;
