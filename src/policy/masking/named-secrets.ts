import { bearerRule } from './bearer.ts';
import { privateKeyRule } from './private-key.ts';
import { firstVerdict, MASK_START, type View } from './rule.ts';
import { tokenRules } from './token-prefixes.ts';

const named = [...tokenRules, bearerRule, privateKeyRule];

/** Whether a mask, or a secret that has its own rule, begins at `from`. */
export function isNamed(view: View, from: number): boolean | 'more' {
  const start = view.text.slice(from, from + MASK_START.length);
  if (start === MASK_START) return true;
  if (MASK_START.startsWith(start) && !view.final) return 'more';
  const verdict = firstVerdict(named, { ...view, at: from, before: ' ' });
  return verdict === 'more' ? 'more' : verdict !== null;
}
