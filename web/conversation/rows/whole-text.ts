import type { Client } from '../../../src/client/client.ts';
import { type EventFields, fieldsOf, textIn } from '../../../src/client/fields.ts';
import { typeOf } from '../../../src/contract/events/type-of.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { PAGE } from '../../api/read-log.ts';

/**
 * Builds the full version of a text from the deltas in the log; the conversation shows only its
 * end. `seq` may belong to any of its events: a delta or the message. Null if deltas were removed
 * (E6).
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
      if (typeOf(event) === 'agent.delta') {
        // An interrupted attempt has no message.
        if (last !== null && last.attempt !== event.attempt) {
          if (isReached()) return pieces.join('');
          pieces = [];
        }
        last = event;
        pieces.push(textOf(event));
      } else if (typeOf(event) === 'agent.message') {
        const whole = pieces.join('');
        const kept = textOf(event);
        if (event.seq >= seq) return whole.length >= kept.length ? whole : null;
        pieces = [];
        last = null;
      }
    }
    after = page.nextCursor;
  }
  return isReached() ? pieces.join('') : null;
}

function textOf({ payload }: SessionEvent): string {
  const fields: EventFields<'agent.delta' | 'agent.message'> = fieldsOf(payload);
  return textIn(fields, 'text');
}
