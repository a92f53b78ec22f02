import type { CancelKind } from '../../src/contract/lane.ts';
import type { LaneSettings, OnBusy } from '../../src/contract/run.ts';
import type { Caps } from '../../src/queue/store.ts';

/*
 * A story is all that a seed decides, as plain data made before anything runs: who is there, and a
 * list of steps. A step names what it acts on by an index that is taken modulo what there is, so any
 * part of the list is a story too. That is what makes a failing one easy to shorten.
 */

/** What goes wrong with a call: nothing reaches the store, its answer is lost, or a statement fails. */
export type Fault =
  | { readonly kind: 'unreached' | 'answer_lost' | 'crash_before' | 'crash_after' }
  /** In a store without statements nothing reaches it. */
  | { readonly kind: 'statement'; readonly n: number }
  | null;

export type Call = 'member' | 'renew' | 'claim' | 'poll' | 'takeOver' | 'write';
export type WorkKind = 'event' | 'commit' | 'ask' | 'return';
export type OutcomeKind = 'succeeded' | 'fails' | 'breaks' | 'handed_back' | 'parked' | 'gives_up';

/** `fitting`: the index is among the workers that have something to do in it, if there are any. */
export type Step =
  | {
      readonly do: 'enqueue';
      /** null: a lane of its own. */
      readonly lane: number | null;
      readonly owner: number;
      readonly type: string;
      readonly delayMs: number | null;
      readonly maxAttempts: number;
      readonly key: number | null;
      readonly onBusy: OnBusy;
      readonly count: number;
      readonly id: number;
      readonly fault: Fault;
    }
  | {
      readonly do: 'cancel' | 'edit' | 'move' | 'remove' | 'retry' | 'answer';
      readonly pick: number;
      readonly other: number | null;
      readonly kind: CancelKind;
      readonly fault: Fault;
    }
  | { readonly do: 'hold' | 'resume' | 'note'; readonly lane: number; readonly fault: Fault }
  | {
      readonly do: 'configure';
      readonly lane: number;
      readonly settings: LaneSettings;
      readonly fault: Fault;
    }
  /** An administrator stops everything, or resumes. */
  | { readonly do: 'stop_all' | 'resume_all'; readonly fault: Fault }
  /** A worker's call to the store: made, carried out, and answered, together or one by one. */
  | {
      readonly do: 'call';
      readonly worker: number;
      readonly fitting?: true;
      readonly call: Call;
      readonly upTo: 'sent' | 'executed' | 'answered';
      readonly fault: Fault;
    }
  /** A handler of a worker goes on. */
  | {
      readonly do: 'work';
      readonly worker: number;
      readonly fitting?: true;
      readonly pick: number;
      readonly what: WorkKind;
      readonly outcome: OutcomeKind;
    }
  /** A request that outlived its sender reaches the store. */
  | { readonly do: 'late'; readonly pick: number; readonly fault: Fault }
  | { readonly do: 'crash' | 'start' | 'stop'; readonly worker: number; readonly fitting?: true }
  | { readonly do: 'pause'; readonly worker: number; readonly ms: number }
  /** Time passes; `renew` says whether leases are renewed meanwhile. */
  | { readonly do: 'wait'; readonly ms: number; readonly renew: boolean }
  /** The store's clock jumps against the true time. */
  | { readonly do: 'jump'; readonly ms: number };

export interface WorkerPlan {
  readonly host: string;
  readonly types: readonly string[];
  readonly capacity: number;
}

export interface Story {
  readonly seed: number;
  readonly workers: readonly WorkerPlan[];
  readonly caps: Caps;
  readonly steps: readonly Step[];
}

export const LANES = ['red', 'green', 'blue', 'grey'] as const;
export const OWNERS = ['ann', 'bob', 'cy', 'dee'] as const;
export const HOSTS = ['h0', 'h1'] as const;
