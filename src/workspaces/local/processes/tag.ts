/**
 * Every process of an agent has this variable in its environment and passes it on to its children.
 * The variable identifies leftover processes when parent, group and session no longer do.
 */
export const TAG_VARIABLE = 'BATON_AGENT_MARK';

export interface Tag {
  /** Servers of one installation share a database. Agents of other installations are left alone. */
  readonly installation: string;
  readonly node: string;
  readonly run: string;
}

/** `number` distinguishes the processes of a run. */
export const formatTag = ({ installation, node, run }: Tag, number: number): string =>
  [installation, node, run, String(number)].map(encodeURIComponent).join(':');

export function parseTag(text: string): Tag | null {
  const parts = text.split(':');
  if (parts.length !== 4) return null;
  try {
    const [installation = '', node = '', run = ''] = parts.map(decodeURIComponent);
    return { installation, node, run };
  } catch {
    return null;
  }
}
