import { BatonError } from '../../contract/errors.ts';
import type { LaneSettings, Run } from '../../contract/run.ts';
import { isTerminal } from '../../contract/run.ts';
import type { LaneChange, RunCore } from '../../queue/machine/lane-change.ts';
import {
  answer,
  cancel,
  edited,
  hold,
  moved,
  mustBeMovable,
  remove,
  resume,
} from '../../queue/machine/lane-machine.ts';
import type { Command } from '../../queue/store.ts';
import { type Op, query, queryOne } from '../statement.ts';
import { admitAtHead } from './admit-at-head.ts';
import { type Dialect, type Done, done } from './dialect.ts';
import { lockLane, lockRun, readRun } from './load.ts';
import { positionBefore, tailPosition } from './positions.ts';

type CommandOf<D extends Command['do']> = Extract<Command, { do: D }>;

/** Applies a command; an invalid one throws and changes nothing. */
export function* applyCommand(
  dialect: Dialect,
  now: number,
  command: Command,
): Op<Done<Run | null>> {
  switch (command.do) {
    case 'cancel':
      return yield* cancelRun(dialect, now, command);
    case 'answer':
      return yield* onRun(dialect, now, command.run, answer);
    case 'edit':
      return yield* edit(dialect, now, command);
    case 'move':
      return yield* move(dialect, now, command);
    case 'remove':
      return yield* removeRun(dialect, now, command);
    case 'retry':
      return yield* retry(dialect, now, command);
    case 'hold':
      return yield* onLane(dialect, yield* lockLane(dialect, now, command.lane), (change) =>
        hold(change, 'asked'),
      );
    case 'resume':
      return yield* onLane(dialect, yield* lockLane(dialect, now, command.lane), resume);
    case 'configure':
      return yield* configure(dialect, now, command.lane, command.settings);
    case 'note':
      return yield* onLane(dialect, yield* makeLane(dialect, now, command.lane), (change) =>
        change.append(command.event, null),
      );
  }
}

/** Cancelling again while the worker stops the run changes nothing. */
function* cancelRun(dialect: Dialect, now: number, command: CommandOf<'cancel'>): Op<Done<Run>> {
  let again = false;
  const cancelled = yield* onRun(dialect, now, command.run, (change, core) => {
    again = core.cancelRequestedAt !== null;
    cancel(change, core, command.kind);
  });
  return again && cancelled.hint.lanes.length === 0 ? { ...cancelled, changed: false } : cancelled;
}

function* onRun(
  dialect: Dialect,
  now: number,
  id: string,
  act: (change: LaneChange, core: RunCore) => void,
): Op<Done<Run>> {
  const { change, core } = yield* lockRun(dialect, now, id);
  act(change, core);
  yield* dialect.save([change]);
  return done((yield* readRun(id))!, [change]);
}

function* onLane(
  dialect: Dialect,
  change: LaneChange,
  act: (change: LaneChange) => void,
): Op<Done<null>> {
  act(change);
  yield* dialect.save([change]);
  return done(null, [change]);
}

function* makeLane(dialect: Dialect, now: number, id: string): Op<LaneChange> {
  yield* dialect.ensureLanes([{ id, owner: '' }]);
  return yield* lockLane(dialect, now, id);
}

function* edit(dialect: Dialect, now: number, command: CommandOf<'edit'>): Op<Done<Run>> {
  const { change, core } = yield* lockRun(dialect, now, command.run);
  edited(change, core);
  yield* query('UPDATE runs SET payload = $2, updated_at = $3 WHERE id = $1', [
    command.run,
    command.payload,
    now,
  ]);
  yield* dialect.save([change]);
  return done((yield* readRun(command.run))!, [change]);
}

function* move(dialect: Dialect, now: number, command: CommandOf<'move'>): Op<Done<Run>> {
  const { change, core } = yield* lockRun(dialect, now, command.run);
  mustBeMovable(change, core);
  moved(change, core, yield* newPosition(change, core, command.before));
  yield* dialect.save([change]);
  return done((yield* readRun(command.run))!, [change]);
}

function* newPosition(change: LaneChange, core: RunCore, before: string | null): Op<number> {
  if (before === null) return tailPosition(change);
  if (before === core.id) return core.position!;
  const target = yield* queryOne<{ lane: string; state: string; position: number | null }>(
    'SELECT lane, state, position FROM runs WHERE id = $1',
    [before],
  );
  const inQueue =
    target?.lane === change.lane.id && target.state === 'queued' && target.position !== null;
  if (!inQueue || change.lane.runId === before) {
    throw new BatonError('invalid_request', '`before` is not a queued run of the same lane.', {
      details: { field: 'before' },
    });
  }
  return yield* positionBefore(change, before, core.id);
}

function* removeRun(dialect: Dialect, now: number, command: CommandOf<'remove'>): Op<Done<Run>> {
  const { change, core } = yield* lockRun(dialect, now, command.run);
  remove(change, core);
  yield* dialect.save([change]);
  const run = yield* readRun(command.run);
  yield* query('DELETE FROM runs WHERE id = $1', [command.run]);
  yield* dialect.addCounts({ cancelled: -1 });
  if (change.lane.id === command.run && !change.lane.kept) {
    // The lane existed only for this run.
    yield* query(
      'DELETE FROM lanes WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM runs WHERE lane = $1)',
      [command.run],
    );
    yield* query(
      'DELETE FROM events WHERE lane = $1 AND NOT EXISTS (SELECT 1 FROM lanes WHERE id = $1)',
      [command.run],
    );
  }
  return done(run!, [change]);
}

/** A manual retry is a new run at the head; the finished run does not change (Q8). */
function* retry(dialect: Dialect, now: number, command: CommandOf<'retry'>): Op<Done<Run>> {
  const { change, core: old } = yield* lockRun(dialect, now, command.run);
  if (!isTerminal(old.state))
    throw new BatonError('run_not_finished', undefined, { details: { state: old.state } });
  const source = (yield* readRun(command.run))!;
  yield* admitAtHead(dialect, change, {
    id: command.newId,
    type: old.type,
    maxAttempts: old.maxAttempts,
    payload: command.payload ?? JSON.stringify(source.payload),
    retryOf: command.run,
    idemKey: null,
    bodyHash: null,
  });
  yield* dialect.save([change]);
  return done((yield* readRun(command.newId))!, [change]);
}

function* configure(
  dialect: Dialect,
  now: number,
  id: string,
  settings: LaneSettings,
): Op<Done<null>> {
  const change = yield* makeLane(dialect, now, id);
  const lane = change.lane;
  const host = settings.host === undefined ? lane.host : settings.host;
  const kept = settings.kept ?? lane.kept;
  yield* query(
    'UPDATE lanes SET owner = $2, host = $3, pin = $4, hold_on_failure = $5, kept = $6 WHERE id = $1',
    [
      id,
      settings.owner ?? lane.owner,
      host ?? '',
      Number(settings.pin ?? lane.pin),
      Number(settings.holdOnFailure ?? lane.holdOnFailure),
      Number(kept),
    ],
  );
  if (kept !== lane.kept)
    yield* query('UPDATE runs SET kept = $2 WHERE lane = $1', [id, Number(kept)]);
  change.ready = lane.state === 'ready';
  return done(null, [change]);
}
