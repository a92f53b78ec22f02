import { type EventFields, fieldsOf, numberIn, textIn } from '../../../src/client/fields.ts';
import type { EventType } from '../../../src/contract/events/table.ts';
import { EVERYTHING_STOPPED } from '../../../src/contract/limits.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { hasNote } from '../../texts/event-notes.ts';
import { BlockBuilder } from './block-builder.ts';

/** Handlers by type of event; other events are not shown. */
export type Handlers = {
  readonly [T in EventType]?: (
    to: BlockBuilder,
    event: SessionEvent,
    fields: EventFields<T>,
  ) => void;
};

const HANDLERS: Handlers = {
  'session.status': (to, event, fields) => to.status(event, fields),
  'session.held': (to, event, fields) => to.hold(event, fields),
  'session.resumed': (to) => to.resumed(),
  'run.dequeued': (to, event) => to.dequeued(event),
  'run.start': (to, event) => to.moved(event, 'running'),
  'run.waiting': (to, event) => to.moved(event, 'waiting'),
  'run.retry_scheduled': (to, event, fields) =>
    to.delayed(event, fields, 'failed', numberIn(fields, 'nextRunAt')),
  'run.parked': (to, event, fields) =>
    to.delayed(event, fields, 'limit', numberIn(fields, 'until')),
  'run.restarted': (to, event) => to.cutOff(event, 'crashed'),
  'run.handed_back': (to, event, fields) =>
    to.cutOff(event, textIn(fields, 'reason') === EVERYTHING_STOPPED ? 'stopped' : 'handed_back'),
  'run.finished': (to, event, fields) => to.finished(event, fields),
  'run.steered': (to, event, fields) => to.steered(event, fields),
  'run.retry_diff': (to, event, fields) => to.retryDiff(event, fields),
  'agent.delta': (to, event, fields) => to.delta(event, fields),
  'agent.message': (to, event, fields) => to.message(event, fields),
  'agent.thinking': (to, event, fields) => to.addText(event, fields, 'thinking'),
  'agent.notice': (to, event, fields) => to.addText(event, fields, 'notice'),
  'agent.usage': (to, event, fields) => to.usage(event, fields),
  'agent.limit': (to, event, fields) => to.limit(event, fields),
  'agent.tool_use': (to, event, fields) => to.toolUse(event, fields),
  'agent.tool_result': (to, event, fields) => to.toolResult(event, fields),
  'approval.requested': (to, event, fields) => to.approvalRequested(event, fields),
  'approval.decided': (to, event, fields) => to.decided(event, fields),
  'approval.withdrawn': (to, event, fields) => to.withdrawn(event, fields),
  'policy.denied': (to, event, fields) => to.refused(event, fields),
};

const isHandled = (type: string): type is EventType => Object.hasOwn(HANDLERS, type);

export function addEvent(to: BlockBuilder, event: SessionEvent): void {
  to.noteRun(event);
  if (isHandled(event.type)) HANDLERS[event.type]?.(to, event, fieldsOf(event.payload));
  if (hasNote(event)) to.note(event);
}

export function blocksOf(events: readonly SessionEvent[]): BlockBuilder {
  const builder = new BlockBuilder();
  for (const event of events) addEvent(builder, event);
  return builder;
}
