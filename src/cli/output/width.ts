/** Characters that East Asian Width classifies as wide (W and F): two columns on a terminal. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f1e6}-\u{1f1ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]/u;
/** Voicing marks of half-width kana: part of the kana's segment, but in a column of their own. */
const HALF_WIDTH_MARK = /(?<=.)[\uff9e\uff9f]/gu;

const segmenter = new Intl.Segmenter();

/**
 * The width in terminal columns of text without control codes. `string-width` measures half-width
 * kana correctly only from version 9 on, which needs Node 22, but this package can be installed
 * with Node 18.
 */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += segmentWidth(segment);
  return width;
}

function segmentWidth(segment: string): number {
  if (NO_WIDTH.test(segment)) return 0;
  // A text character with an emoji selector is drawn as an emoji.
  const width = WIDE.test(segment) || segment.includes('\ufe0f') ? 2 : 1;
  return width + (segment.match(HALF_WIDTH_MARK)?.length ?? 0);
}

/** Truncates to at most `width` columns, with an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let taken = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    used += segmentWidth(segment);
    if (used > width - 1) break;
    taken += segment;
  }
  return width < 1 ? '' : `${taken}…`;
}

export const padEnd = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - displayWidth(text)));
