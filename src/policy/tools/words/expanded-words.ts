/*
 * The words of a command that is not plain, after those of the shell's expansions that can be
 * predicted.
 */

/** Braces that may contain other braces. More levels than these are unusual, and cost time. */
const BRACES = /\{(?:[^{}\s]|\{(?:[^{}\s]|\{[^{}\s]*\})*\})*\}/g;

/** A placeholder for text that only the shell knows. */
export const ANY = '\0';

/**
 * Replaces `$HOME` with the home directory, and `$PWD` and `~+` with a relative name for the current
 * one.
 */
export function withVariables(text: string, home: string | undefined): string {
  const here = text.replace(/\$(?:PWD\b|\{PWD\})|(?<![\w.~/-])~\+(?![^\s;&|<>()/:])/g, '.');
  return home === undefined ? here : here.replace(/\$(?:HOME\b|\{HOME\})/g, () => home);
}

/**
 * The distinct words, without quotes; empty if there is nothing to expand. Makes one pass for each kind
 * of expansion, so the time is linear.
 */
export function expandedWords(text: string): ReadonlySet<string> {
  if (!/[$`{~\\]|[?*+@!]\(/.test(text)) return new Set();
  const words = wordsOf(text);
  const withDefaults = text.replace(DEFAULT, '$1');
  return withDefaults === text ? words : new Set([...words, ...wordsOf(withDefaults)]);
}

/** `${name:-word}`, which may stand for the word. */
const DEFAULT = /\$\{(?:\w+|[@*#?$!-]):?[-=+]([^{}]*)\}/g;

function wordsOf(text: string): Set<string> {
  const bare = text
    .replaceAll(ANY, '')
    .replace(/\\\r?\n/g, '')
    .replace(/\$'([^']*)'/g, (_, inside: string) => (inside.includes('\\') ? ANY : inside))
    .replace(/["'\\]/g, '')
    // These variables are numbers, such as process ids.
    .replace(/\$[$!?#]/g, '0')
    .replace(/\$(?:\{[^{}]*\}|[A-Za-z_]\w*|[\d@*-])/g, ANY)
    .replace(BRACES, ANY)
    // These are bash's extended wildcards and zsh's groups.
    .replace(/[?*+@!]\([^()\s]*\)/g, ANY);
  const hasSubstitution = /\$\(|`|<\(/.test(bare);
  const known = hasSubstitution
    ? bare.replace(/\$\(|`/g, `${ANY} ${ANY}`).replace(/\)(?=[^\s;&|<>()])/g, ` ${ANY}`)
    : bare;
  const words = known.split(/[\s;&|<>()]+/).map((word) => word.replace(/^~[^/]+/, ANY));
  return new Set(words.filter((word) => word !== ''));
}
