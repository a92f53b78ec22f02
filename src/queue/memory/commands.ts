import { BatonError } from '../../contract/errors.ts';
import { isTerminal, type LaneSettings, type Run } from '../../contract/run.ts';
import * as machine from '../machine/lane-machine.ts';
import type { Command } from '../store.ts';
import { admit, mustBeNew } from './admit.ts';
import { headPosition, positionBefore, tailPosition } from './positions.ts';
import { copyEvent, type LaneRecord, type RunRecord, toRun } from './records.ts';
import { coreIn, type Tables } from './tables.ts';

type RunCommand = Extract<Command, { run: string }>;
type LaneCommand = Exclude<Command, RunCommand>;

export function execute(tables: Tables, command: Command): Run | null {
  if ('run' in command) return toRun(changeRun(tables, command));
  changeLane(tables, command);
  return null;
}

function changeRun(tables: Tables, command: RunCommand): RunRecord {
  const record = tables.runs.get(command.run);
  if (record === undefined) throw new BatonError('not_found', `There is no run ${command.run}.`);
  if (command.do === 'retry') return retry(tables, record, command);
  const { lane } = record;
  const change = tables.change(lane, tables.clock());
  const core = coreIn(change, record);
  switch (command.do) {
    case 'cancel':
      machine.cancel(change, core, command.kind);
      break;
    case 'edit':
      machine.edited(change, core);
      record.payload = command.payload;
      break;
    case 'move': {
      // The lane machine also checks this, but the new position must only be computed for a queued
      // run.
      machine.mustBeMovable(change, core);
      const position =
        command.before === null
          ? tailPosition(change)
          : positionBefore(lane, change, queuedIn(tables, lane, command.before), record);
      machine.moved(change, coreIn(change, record), position);
      break;
    }
    case 'remove':
      machine.remove(change, core);
      break;
    case 'answer':
      machine.answer(change, core);
      break;
  }
  tables.commit(lane, change, record);
  if (command.do === 'remove') forget(tables, record);
  return record;
}

function queuedIn(tables: Tables, lane: LaneRecord, id: string): RunRecord {
  const record = tables.runs.get(id);
  const queued =
    record?.lane === lane &&
    record.core.state === 'queued' &&
    record.core.position !== null &&
    lane.row.runId !== id;
  if (record === undefined || !queued) {
    throw new BatonError('invalid_request', `Run ${id} is not queued in this lane.`);
  }
  return record;
}

function retry(
  tables: Tables,
  record: RunRecord,
  { newId, payload = record.payload }: Extract<Command, { do: 'retry' }>,
): RunRecord {
  const { core, lane } = record;
  if (!isTerminal(core.state)) {
    throw new BatonError('run_not_finished', undefined, { details: { state: core.state } });
  }
  mustBeNew(tables, newId);
  const change = tables.change(lane, tables.clock());
  const run = {
    id: newId,
    type: core.type,
    payload,
    maxAttempts: core.maxAttempts,
    lane: lane.row.id,
    idempotencyKey: null,
    bodyHash: null,
  };
  const position = headPosition(lane, change);
  return admit(tables, change, lane, run, { runAt: null, position, retryOf: core.id });
}

/**
 * Deletes a removed run, and its lane if it existed only for that run; other lanes wait for a
 * purge.
 */
function forget(tables: Tables, record: RunRecord): void {
  const { lane } = record;
  tables.drop(record);
  lane.runs.splice(lane.runs.lastIndexOf(record), 1);
  if (lane.runs.length > 0 || lane.row.kept) return;
  if (lane.row.id === record.core.id) tables.lanes.delete(lane.row.id);
  else {
    lane.emptySince = tables.clock();
    // The lane is deleted and added again, because the set is ordered by these times.
    tables.empty.delete(lane);
    tables.empty.add(lane);
  }
}

function changeLane(tables: Tables, command: LaneCommand): void {
  const makes = command.do === 'configure' || command.do === 'note';
  const owner = command.do === 'configure' ? command.settings.owner : undefined;
  const lane = makes ? tables.openLane(command.lane, owner ?? '') : tables.lanes.get(command.lane);
  if (lane === undefined) throw new BatonError('not_found', `There is no lane ${command.lane}.`);
  const change = tables.change(lane, tables.clock());
  switch (command.do) {
    case 'hold':
      machine.hold(change, 'asked');
      break;
    case 'resume':
      machine.resume(change);
      break;
    case 'note':
      change.append(copyEvent(command.event), null);
      break;
    case 'configure':
      configure(tables, lane, command.settings);
      Object.assign(change.lane, given(command.settings));
      change.ready = true;
      break;
  }
  tables.commit(lane, change, null);
}

/** Runs of a kept lane are not in the purge's list, so changing the flag adds or removes them. */
function configure(tables: Tables, lane: LaneRecord, settings: LaneSettings): void {
  if (settings.kept === undefined || settings.kept === lane.row.kept) return;
  for (const run of lane.runs) {
    if (!isTerminal(run.core.state)) continue;
    if (settings.kept) tables.finished.remove(run);
    else tables.finished.add(run);
  }
}

const given = (settings: LaneSettings): LaneSettings =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
