/* The words of a command that is not plain, with what a shell would put into them. */

/** Stands in a word for a text that only the shell knows. */
export const ANY = '\0';

/** With the home directory in place of its variable. */
export const withHome = (text: string, home: string | undefined): string =>
  home === undefined ? text : text.replace(/\$(?:HOME\b|\{HOME\})/g, () => home);

/**
 * Each once; none where nothing is to be put in. Quotes are taken away; one pass for each kind of
 * expansion, so the time is linear.
 */
export function expandedWords(text: string): ReadonlySet<string> {
  if (!/[$`{~\\]|[?*+@!]\(/.test(text)) return new Set();
  const bare = text
    .replaceAll(ANY, '')
    .replace(/\\\r?\n/g, '')
    .replace(/\$'([^']*)'/g, (_, inside: string) => (inside.includes('\\') ? ANY : inside))
    .replace(/["'\\]/g, '')
    // Numbers, of processes for example.
    .replace(/\$[$!?#]/g, '0')
    .replace(/\$(?:\{[^{}]*\}|[A-Za-z_]\w*|[\d@*-])/g, ANY)
    .replace(/\{[^{}\s]*\}/g, ANY)
    // bash's extended wildcards, and zsh's groups.
    .replace(/[?*+@!]\([^()\s]*\)/g, ANY);
  const hasSubstitution = /\$\(|`|<\(/.test(bare);
  const known = hasSubstitution
    ? bare.replace(/\$\(|`/g, `${ANY} ${ANY}`).replace(/\)(?=[^\s;&|<>()])/g, ` ${ANY}`)
    : bare;
  const words = known.split(/[\s;&|<>()]+/).map((word) => word.replace(/^~[^/]+/, ANY));
  return new Set(words.filter((word) => word !== ''));
}
