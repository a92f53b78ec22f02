/*
 * Agent output must not take over the reader's terminal: no titles, no clipboard, no cursor moves, no
 * clearing. Colours, line ends and tabs pass; all other control codes are dropped, together with their
 * parameters. Text arrives in pieces, so a sequence may be split anywhere; `stripVTControlCharacters`
 * of Node needs the whole text, and removes the colours too.
 */

const ESC = 0x1b;
const BEL = 0x07;
/** The one-character forms of ESC [ and the string openers (DCS, SOS, OSC, PM, APC). */
const CSI_8 = 0x9b;
const STRING_8 = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
const STRING_7 = new Set(['P', 'X', ']', '^', '_']);
/** Real colour sequences are shorter. Anything beyond this length is shown as text. */
const SEQUENCE_MAX = 64;

type State = 'text' | 'escape' | 'csi' | 'string' | 'string-escape' | 'return';

export class TerminalFilter {
  #state: State = 'text';
  #sequence = '';
  #coloured = false;

  /** The part of `text` that may be shown. */
  push(text: string): string {
    let shown = '';
    for (const char of text) shown += this.#next(char);
    return shown;
  }

  /** The sequence that resets colours, if any were set. */
  end(): string {
    const reset = this.#coloured ? '\x1b[0m' : '';
    this.#coloured = false;
    this.#state = 'text';
    return reset;
  }

  #next(char: string): string {
    const code = char.codePointAt(0) ?? 0;
    switch (this.#state) {
      case 'text':
        return this.#text(char, code);
      case 'return':
        // On its own, a carriage return would let later text overwrite the line; before a newline
        // it is redundant.
        this.#state = 'text';
        return char === '\n' ? '\n' : `\n${this.#text(char, code)}`;
      case 'escape':
        return this.#escape(char, code);
      case 'csi':
        return this.#csi(char, code);
      case 'string':
        if (code === ESC) this.#state = 'string-escape';
        // An unterminated string must not swallow the rest: no title contains a newline.
        else if (code === BEL || code === 0x9c || char === '\n') this.#state = 'text';
        return char === '\n' ? '\n' : '';
      case 'string-escape':
        if (char === '\\') {
          this.#state = 'text';
          return '';
        }
        this.#state = 'escape';
        return this.#escape(char, code);
    }
  }

  #text(char: string, code: number): string {
    if (code === ESC) this.#state = 'escape';
    else if (char === '\r') this.#state = 'return';
    else if (code === CSI_8) this.#begin();
    else if (STRING_8.has(code)) this.#state = 'string';
    else if (char === '\n' || char === '\t') return char;
    else if (code >= 0x20 && code < 0x7f) return char;
    else if (code >= 0xa0) return char;
    return '';
  }

  #begin(): void {
    this.#state = 'csi';
    this.#sequence = '';
  }

  #escape(char: string, code: number): string {
    if (char === '[') this.#begin();
    else if (STRING_7.has(char)) this.#state = 'string';
    // A sequence such as the choice of a character set: another character follows.
    else if (code >= 0x20 && code <= 0x2f) return '';
    else {
      this.#state = 'text';
      if (code < 0x20 || code > 0x7e) return this.#text(char, code);
    }
    return '';
  }

  #csi(char: string, code: number): string {
    if (code >= 0x20 && code <= 0x3f) {
      this.#sequence += char;
      if (this.#sequence.length > SEQUENCE_MAX) this.#state = 'text';
      return '';
    }
    this.#state = 'text';
    if (code < 0x20 || code > 0x7e) return this.#text(char, code);
    if (char !== 'm' || !/^[\d;:]*$/.test(this.#sequence)) return '';
    this.#coloured = true;
    return `\x1b[${this.#sequence}m`;
  }
}

/** Drops colours as well: only printable text, tabs and line ends remain. */
export const plainText = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that the filter passes
  new TerminalFilter().push(text).replace(/\x1b\[[\d;:]*m/g, '');

/**
 * For one line in a list: no colours, no line ends, and no controls that reverse the text
 * direction.
 */
export const plainLine = (text: string): string =>
  plainText(text)
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
