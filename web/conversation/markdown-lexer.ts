import { Lexer, type MarkedOptions, type Token, Tokenizer, type Tokens } from 'marked';

/*
 * The lexer of marked, without what takes it more and more time for each character of a hostile
 * text: an agent may say anything, and the page must not stand still.
 */

/** A paragraph longer than this is shown as it is written; nobody writes such. */
const PARAGRAPH_MOST = 20_000;
/** Asterisks, underscores or tildes in a row, of which each could begin or end something. */
const MANY_DELIMITERS = /\*{50}|_{50}|~{50}/;

/** As in marked, but for mail addresses: at each character it looked for an `@` far behind. */
const TEXT =
  /^(?:`+|~+|[^`~])(?:(?=[`~])|(?= {2,}\n)|[\s\S]*?(?:(?=[\\<![`*~_]|\b_|https?:\/\/|ftp:\/\/|(?<![^\s*_~(])www\.|$)|[^ ](?= {2,}\n)))/i;
const ADDRESS = /^(?:https?:\/\/|ftp:\/\/|www\.)/i;

class PageTokenizer extends Tokenizer {
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
  constructor() {
    super({ gfm: true, breaks: false, tokenizer: new PageTokenizer() } as MarkedOptions);
  }

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (src.length <= PARAGRAPH_MOST && !MANY_DELIMITERS.test(src)) {
      return super.inlineTokens(src, tokens);
    }
    tokens.push(textOf(src));
    return tokens;
  }
}
