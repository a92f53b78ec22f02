import { coloursFor, type Style } from './style.ts';
import { plainText, TerminalFilter } from './terminal-filter.ts';
import type { Shown } from './transcript.ts';

/** What the printer needs of stdout and stderr. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

type StreamName = 'stdout' | 'stderr';

/**
 * Writes what the agent says as it comes, and sentences about it on lines of their own. A terminal is
 * kept from control codes; a pipe gets the text as it is.
 */
export class Printer {
  readonly #screens: Readonly<Record<StreamName, Screen>>;
  readonly #notes: StreamName;
  readonly #dim: Style;
  readonly #filters: Readonly<Record<StreamName, TerminalFilter | undefined>>;
  /** Where a line was begun and not ended. */
  #open: StreamName | undefined;

  /** `notes`: where sentences go. */
  constructor(
    screens: Readonly<Record<StreamName, Screen>>,
    env: NodeJS.ProcessEnv,
    notes: StreamName,
  ) {
    this.#screens = screens;
    this.#notes = notes;
    this.#dim = coloursFor(screens[notes], env).dim;
    this.#filters = { stdout: filterFor(screens.stdout), stderr: filterFor(screens.stderr) };
  }

  show(what: Shown): void {
    if (what.kind === 'said') this.#say(what.stream, what.text);
    else if (what.kind === 'pause') this.#endLine();
    else this.note(what.text);
  }

  /**
   * A sentence of ours. It may quote what others wrote, which must not leave colours on or look like
   * another line of ours: later lines are indented.
   */
  note(text: string): void {
    this.end();
    const screen = this.#screens[this.#notes];
    const clean = screen.isTTY === true ? plainText(text).replaceAll('\n', '\n    ') : text;
    screen.write(`${this.#dim(clean)}\n`);
  }

  /** Ends the line that is open, and whatever colours the agent has left on. */
  end(): void {
    this.#endLine();
    for (const name of ['stdout', 'stderr'] as const) {
      const rest = this.#filters[name]?.end() ?? '';
      if (rest !== '') this.#screens[name].write(rest);
    }
  }

  #say(stream: StreamName, text: string): void {
    const shown = this.#filters[stream]?.push(text) ?? text;
    if (shown === '') return;
    // The other stream may be the same terminal: its line ends first.
    if (this.#open !== stream) this.#endLine();
    this.#screens[stream].write(shown);
    this.#open = shown.endsWith('\n') ? undefined : stream;
  }

  #endLine(): void {
    if (this.#open === undefined) return;
    this.#screens[this.#open].write('\n');
    this.#open = undefined;
  }
}

const filterFor = ({ isTTY }: Screen): TerminalFilter | undefined =>
  isTTY === true ? new TerminalFilter() : undefined;
