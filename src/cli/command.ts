import type { Arguments, Flags } from './input/args.ts';

/** What a command receives from the process that runs it. */
export interface CommandContext {
  /** Aborted at the first Ctrl-C or SIGTERM, for commands that handle it themselves. */
  readonly stop: AbortSignal;
  /** Awaited briefly when a second signal stops the command. */
  readonly beforeExit: Set<Promise<unknown>>;
}

/** The exit codes of all commands; docs/cli.md lists them. */
export const EXIT = {
  ok: 0,
  failed: 1,
  /** The command was used incorrectly or was refused; nothing was started or changed. */
  refused: 2,
  unreachable: 3,
  cancelled: 130,
} as const;

interface Described {
  readonly summary: string;
  /** The part of the usage after the name, such as `[flags] "message"`. */
  readonly usage: string;
  /** Lines of help text below the usage. */
  readonly about?: readonly string[];
}

/** A command with its own flags. */
export interface ClientCommand<F extends Flags = Flags> extends Described {
  readonly flags: F;
  run(given: Arguments<F>, context: CommandContext): Promise<number>;
}

/** A command that accepts the settings of a node. */
export interface NodeCommand extends Described {
  readonly settings: true;
  readonly flags: Flags;
  run(args: string[], context: CommandContext): Promise<number>;
}

/** A command with subcommands, such as `token` with `token create`. */
export interface CommandGroup {
  readonly summary: string;
  readonly about?: readonly string[];
  readonly commands: Readonly<Record<string, Command>>;
}

export type Command = ClientCommand | NodeCommand;

/** Checks the type of `run` against the command's own flags, then returns a plain `Command`. */
export const clientCommand = <F extends Flags>(command: ClientCommand<F>): Command =>
  command as unknown as Command;
