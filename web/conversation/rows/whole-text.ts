import type { Client } from '../../../src/client/client.ts';
import { PAGE } from '../../api/read-log.ts';
import { fieldsOf, textIn } from '../log/fields.ts';

/**
 * The full version of a text that the conversation shows only the end of, built from the deltas in
 * the log. `seq` may belong to any of its events: a delta or the message. Null if deltas were
 * removed (E6).
 */
export async function wholeText(
  source: Pick<Client, 'runEvents'>,
  runId: string,
  seq: number,
): Promise<string | null> {
  let pieces: string[] = [];
  let last: { readonly seq: number; readonly attempt: number | null } | null = null;
  const isReached = (): boolean => last !== null && last.seq >= seq;
  for (let after: number | null = 0; after !== null; ) {
    const query: { after: number; limit: number } = { after, limit: PAGE };
    const page: Awaited<ReturnType<Client['runEvents']>> = await source.runEvents({
      params: { id: runId },
      query,
    });
    for (const event of page.items) {
      if (event.type === 'agent.delta') {
        // An interrupted attempt has no message.
        if (last !== null && last.attempt !== event.attempt) {
          if (isReached()) return pieces.join('');
          pieces = [];
        }
        last = event;
        pieces.push(textIn(fieldsOf(event.payload), 'text'));
      } else if (event.type === 'agent.message') {
        const whole = pieces.join('');
        const kept = textIn(fieldsOf(event.payload), 'text');
        if (event.seq >= seq) return whole.length >= kept.length ? whole : null;
        pieces = [];
        last = null;
      }
    }
    after = page.nextCursor;
  }
  return isReached() ? pieces.join('') : null;
}
