import type { CancelKind } from '../../src/contract/lane.ts';
import type { LaneSettings, OnBusy } from '../../src/contract/run.ts';
import type { Caps } from '../../src/queue/store.ts';

/*
 * A story is everything that a seed determines, as plain data created before anything runs: the
 * workers and a list of steps. A step selects its target by an index modulo the number of candidates,
 * so any part of the list is a valid story. That makes a failing one easy to shorten.
 */

/** A fault of a call: it does not reach the store, its answer is lost, or a statement fails. */
export type Fault =
  | { readonly kind: 'unreached' | 'answer_lost' | 'crash_before' | 'crash_after' }
  /** In a store without statements, the call does not reach it. */
  | { readonly kind: 'statement'; readonly n: number }
  | null;

export type Call = 'member' | 'renew' | 'claim' | 'poll' | 'takeOver' | 'write';
export type WorkKind = 'event' | 'commit' | 'ask' | 'return';
export type OutcomeKind = 'succeeded' | 'fails' | 'breaks' | 'handed_back' | 'parked' | 'gives_up';

/** `fitting`: the index selects among the workers that can take the step, if there are any. */
export type Step =
  | {
      readonly do: 'enqueue';
      /** If null, the run gets its own lane. */
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
  /** An administrator stops or resumes the installation. */
  | { readonly do: 'stop_all' | 'resume_all'; readonly fault: Fault }
  /** A worker's call to the store: sent, executed and answered, together or one by one. */
  | {
      readonly do: 'call';
      readonly worker: number;
      readonly fitting?: true;
      readonly call: Call;
      readonly upTo: 'sent' | 'executed' | 'answered';
      readonly fault: Fault;
    }
  /** A worker's handler does something. */
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
  /** Time passes; `renew` says whether leases are renewed during it. */
  | { readonly do: 'wait'; readonly ms: number; readonly renew: boolean }
  /** The store's clock jumps relative to true time. */
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
