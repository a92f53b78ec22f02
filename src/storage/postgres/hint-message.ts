import { z } from 'zod';
import type { Hint } from '../../queue/hint.ts';

/*
 * A hint as the text of a notification:
 * {"from":…,"lanes":[…],"nodes":[…],"ready":true,"access":true}. A topic is a key with the value
 * true. A node ignores topics it does not know, so that nodes of different versions can run side by
 * side.
 */

/** A notification can hold 8,000 bytes; if the names do not fit, it contains `all` instead. */
const NAMES_MAX_BYTES = 7500;

const Message = z.looseObject({
  from: z.string(),
  lanes: z.array(z.string()),
  nodes: z.array(z.string()),
  all: z.boolean().default(false),
});

export interface HintMessage extends Hint {
  readonly from: string;
}

export function formatHint({ from, lanes, nodes, topics }: HintMessage): string {
  const fits = fitsIn(NAMES_MAX_BYTES, [...nodes, ...lanes]);
  return JSON.stringify({
    from,
    // Nodes that predate topics ignore a message without this field.
    ready: false,
    ...Object.fromEntries(topics.map((topic) => [topic, true])),
    ...(fits ? { nodes, lanes } : { nodes: [], lanes: [], all: true }),
  });
}

/** Null if it is not a hint. */
export function parseHint(text: string): HintMessage | null {
  const parsed = Message.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { from, lanes, nodes, all, ...others } = parsed.data;
  const topics = Object.keys(others).filter((name) => others[name] === true);
  return { from, lanes, nodes, topics, all };
}

/** Measured as JSON: a quote or a backslash in a name takes two bytes. */
function fitsIn(most: number, names: readonly string[]): boolean {
  let bytes = 0;
  for (const name of names) {
    bytes += Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > most) return false;
  }
  return true;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
