import type { AccessStore, Audited } from '../access/access-store.ts';
import type { Json } from '../contract/values/json.ts';
import type { Masker } from '../policy/masking/masker.ts';
import type { OwnFiles } from '../policy/tools/own-files.ts';
import type { Logger } from '../queue/logger.ts';
import type { RunQueue } from '../queue/run-queue.ts';
import type { Store } from '../queue/store.ts';
import type { SecretBox } from '../secrets/box.ts';
import type { ApprovalStore } from './approvals/approval-store.ts';
import type { HostStore } from './host-store.ts';
import type { SteerStore } from './messages/steer-store.ts';
import type { SessionStore } from './session-store.ts';

/** How many runs may be queued per session (H9). */
export const QUEUE_MAX = 1000;

type Ports = Pick<Store, 'change' | 'onHint'> &
  SessionStore &
  Pick<HostStore, 'listHosts' | 'isDataShared'> &
  ApprovalStore &
  SteerStore &
  Pick<AccessStore, 'listShares' | 'putShares' | 'findUser'>;
/** Changes made by people are written through `audited` (P6). */
export type ServiceStore = Ports & Audited<Ports>;

/** The dependencies of the services around sessions; each service takes those that it uses. */
export interface ServiceParts {
  readonly store: ServiceStore;
  /** How many runs may be queued per session; `QUEUE_MAX` by default. */
  readonly queueMax?: number;
  readonly queue: RunQueue;
  readonly masker: Masker;
  readonly maskJson: (value: Json) => Json;
  /** Masks tool calls, so that no mask covers shell syntax (P4). */
  readonly maskCall: (input: Json) => Json;
  readonly box: SecretBox;
  readonly log: Logger;
  readonly ownFiles: OwnFiles;
  /** The home directory of agents, for `~` in a call that is judged without its runtime. */
  readonly home: string;
  /** Called when a session may need work, such as preparing its workspace. */
  readonly onWork: () => void;
  /** Whether everything is stopped, as far as this node knows; this may be slightly out of date. */
  readonly isStopped: () => boolean;
  /** Called when the rules refuse a message, for metrics. */
  readonly onDenied?: () => void;
}
