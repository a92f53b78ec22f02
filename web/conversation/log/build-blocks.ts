import { EVERYTHING_STOPPED } from '../../../src/contract/limits.ts';
import type { SessionEvent } from '../../../src/contract/session-event.ts';
import { BlockBuilder } from './block-builder.ts';
import { type Fields, fieldsOf, textIn } from './fields.ts';

/** Handlers by event type; other events are not shown. */
const HANDLERS: Readonly<
  Record<string, (to: BlockBuilder, event: SessionEvent, fields: Fields) => void>
> = {
  'session.created': (to, event, fields) => to.created(event, fields),
  'session.status': (to, event, fields) => to.status(event, fields),
  'session.held': (to, event, fields) => to.hold(event, fields),
  'session.resumed': (to) => to.resumed(),
  'run.dequeued': (to, event) => to.dequeued(event),
  'run.start': (to, event) => to.moved(event, 'running'),
  'run.waiting': (to, event) => to.moved(event, 'waiting'),
  'run.retry_scheduled': (to, event, fields) => to.delayed(event, fields, 'failed'),
  'run.parked': (to, event, fields) => to.delayed(event, fields, 'limit'),
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

export function addEvent(to: BlockBuilder, event: SessionEvent): void {
  to.noteRun(event);
  HANDLERS[event.type]?.(to, event, fieldsOf(event.payload));
}

export function blocksOf(events: readonly SessionEvent[]): BlockBuilder {
  const builder = new BlockBuilder();
  for (const event of events) addEvent(builder, event);
  return builder;
}
