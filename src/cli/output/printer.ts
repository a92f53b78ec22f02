import { coloursFor, type Style } from './style.ts';
import { plainText, TerminalFilter } from './terminal-filter.ts';
import type { TranscriptItem } from './transcript.ts';

/** The part of stdout and stderr that the printer uses. */
export interface Screen {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

type StreamName = 'stdout' | 'stderr';

/**
 * Writes agent text as it arrives, and notes on separate lines. Control codes are removed for a
 * terminal; a pipe gets the text unchanged.
 */
export class Printer {
  readonly #screens: Readonly<Record<StreamName, Screen>>;
  readonly #notes: StreamName;
  readonly #dim: Style;
  readonly #filters: Readonly<Record<StreamName, TerminalFilter | undefined>>;
  /** The stream with an unfinished line. */
  #open: StreamName | undefined;

  /** `notes` is the stream that notes are written to. */
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

  show(item: TranscriptItem): void {
    if (item.kind === 'text') this.#writeText(item.stream, item.text);
    else if (item.kind === 'pause') this.#endLine();
    else this.note(item.text);
  }

  /**
   * Writes a note of our own. If the note quotes text by others, that text must not leave colours
   * on or look like another note, so later lines are indented.
   */
  note(text: string): void {
    this.end();
    const screen = this.#screens[this.#notes];
    const clean = screen.isTTY === true ? plainText(text).replaceAll('\n', '\n    ') : text;
    screen.write(`${this.#dim(clean)}\n`);
  }

  /** Ends an unfinished line, and resets colours that the agent left on. */
  end(): void {
    this.#endLine();
    for (const name of ['stdout', 'stderr'] as const) {
      const rest = this.#filters[name]?.end() ?? '';
      if (rest !== '') this.#screens[name].write(rest);
    }
  }

  #writeText(stream: StreamName, text: string): void {
    const shown = this.#filters[stream]?.push(text) ?? text;
    if (shown === '') return;
    // Both streams may go to the same terminal, so the other one's line is ended first.
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
