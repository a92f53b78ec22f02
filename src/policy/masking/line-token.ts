import { chars, type Rule } from './rule.ts';

const base64 = chars('A-Za-z0-9+/');
const LINE_END = '1O/w1cDnyilFU=';
const LINE_LEAST = 120;
/** The longest run of base64 characters that could still become a LINE token. */
export const LINE_MAX = 200;

/** How many characters at the end of the output could be the beginning of a LINE token. */
export function heldRun(output: string): number {
  let from = output.length;
  while (from > 0 && output.length - from <= LINE_MAX && base64(output.charCodeAt(from - 1)))
    from--;
  return output.length - from <= LINE_MAX ? output.length - from : 0;
}

/** All of LINE's long-lived channel access tokens end the same way. */
export const lineRule: Rule = {
  start: LINE_END,
  at({ before }) {
    const run = heldRun(before);
    const length = run + LINE_END.length;
    if (length < LINE_LEAST || length > LINE_MAX) return null;
    return { mask: 'LINE_TOKEN', back: run, keep: 0, end: LINE_END.length };
  },
};
