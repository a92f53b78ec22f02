/* What the lexer leaves as it was written. */

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  copy: '©',
  times: '×',
  rarr: '→',
  larr: '←',
};

/** Entities as the characters they stand for; unknown ones stay as they are. */
export const decoded = (text: string): string =>
  text.includes('&')
    ? text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi, (all, ten, hex, name) => {
        if (name !== undefined) return NAMED[name] ?? all;
        const code = hex === undefined ? Number(ten) : Number.parseInt(hex, 16);
        return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
      })
    : text;

/** Where a link may lead; null if nowhere. */
export function safeAddress(href: string): string | null {
  const address = decoded(href);
  return /^(https?:|mailto:)/i.test(address) ? address : null;
}
