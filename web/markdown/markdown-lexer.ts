import { Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens } from 'marked';

/*
 * marked's lexer without the parts that take superlinear time on hostile text: an agent may write
 * anything, and the page must not freeze.
 */

/** A paragraph longer than this is shown as plain text; nobody writes that much. */
const PARAGRAPH_MOST = 20_000;
/** Asterisks, underscores or tildes in a row, each of which could start or end something. */
const MANY_DELIMITERS = /\*{50}|_{50}|~{50}/;

/**
 * As in marked, but without email addresses: marked searches far ahead for an `@` at every
 * character.
 */
const TEXT =
  /^(?:`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|[\s\S]*?(?:(?=[\\<![`*~_]|\b_|https?:\/\/|ftp:\/\/|(?<![^\s*_~(])www\.|$)|[^ ](?= {2,}\n)))/i;
const ADDRESS = /^(?:https?:\/\/|ftp:\/\/|www\.)/i;

/** No ordinary text takes this long, not even on a phone. */
const MOST_MS = 200;
/**
 * Text shorter than this has no time limit: if parsing it is slow, the machine is busy and the text
 * is not to blame.
 */
const SHORT = 2000;

/** Gives up by throwing. */
class PageTokenizer extends Tokenizer {
  readonly #now: () => number;
  #until = Number.POSITIVE_INFINITY;

  constructor(now: () => number) {
    super();
    this.#now = now;
  }

  begin(length: number): void {
    if (length > SHORT) this.#until = this.#now() + MOST_MS;
  }

  /** Runs before all other block rules. */
  override space(src: string): Tokens.Space | undefined {
    this.#check();
    return super.space(src);
  }

  /** Runs before all other inline rules. */
  override escape(src: string): Tokens.Escape | undefined {
    this.#check();
    return super.escape(src);
  }

  #check(): void {
    if (this.#now() > this.#until) throw new Error('The text takes too long to read.');
  }

  override url(src: string): Tokens.Link | undefined {
    return ADDRESS.test(src) ? super.url(src) : undefined;
  }

  override inlineText(src: string): Tokens.Text | undefined {
    const raw = TEXT.exec(src)?.[0];
    return raw === undefined ? undefined : textOf(raw);
  }
}

const textOf = (raw: string): Tokens.Text => ({ type: 'text', raw, text: raw });

export class PageLexer extends Lexer {
  readonly #tokenizer: PageTokenizer;

  constructor(now: () => number) {
    const tokenizer = new PageTokenizer(now);
    super({ gfm: true, breaks: false, tokenizer } as MarkedOptions);
    this.#tokenizer = tokenizer;
  }

  override lex(src: string) {
    this.#tokenizer.begin(src.length);
    return super.lex(src);
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= PARAGRAPH_MOST && !MANY_DELIMITERS.test(src)) {
      return super.inlineTokens(src, tokens);
    }
    tokens.push(textOf(src));
    return tokens;
  }
}
