/**
 * The variable every process of an agent carries in its environment and hands on to what it starts.
 * By it leftovers are found when parents, groups and sessions no longer tell whose they are.
 */
export const MARK_VARIABLE = 'BATON_AGENT_MARK';

export interface Mark {
  /** Servers of one installation share a database; others' agents are none of our business. */
  readonly installation: string;
  readonly node: string;
  readonly run: string;
}

/** `number` tells the processes of one run apart. */
export const formatMark = ({ installation, node, run }: Mark, number: number): string =>
  [installation, node, run, String(number)].map(encodeURIComponent).join(':');

export function parseMark(text: string): Mark | null {
  const parts = text.split(':');
  if (parts.length !== 4) return null;
  try {
    const [installation = '', node = '', run = ''] = parts.map(decodeURIComponent);
    return { installation, node, run };
  } catch {
    return null;
  }
}
