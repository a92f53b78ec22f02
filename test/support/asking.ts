import { newId } from '../../src/contract/values/ids.ts';
import type { ClaimedRun, Store } from '../../src/queue/store.ts';
import type {
  ApprovalRecord,
  ApprovalStore,
  NewApproval,
} from '../../src/sessions/approvals/approval-store.ts';
import { admission } from './admission.ts';

/* Questions of runs without an agent, for tests of everything else about approvals. */

const NODE = {
  host: 'test',
  bootId: 'boot',
  pidNamespace: 'pid:1',
  pid: 7,
  pidStart: '1',
  roles: ['worker'] as const,
  types: [],
  capacity: 1000,
  version: '0.0.0',
};

export interface Asking {
  readonly claimed: ClaimedRun;
  readonly asked: ApprovalRecord;
}

type Stores = Pick<Store, 'join' | 'enqueue' | 'getLane' | 'claim' | 'write'> &
  Pick<ApprovalStore, 'openApproval'>;

/** A run of the session that asks and waits, of a type that no other node claims. */
export async function ask(
  store: Stores,
  sessionId: string,
  given: Partial<NewApproval> = {},
  payload: object = {},
): Promise<Asking> {
  const type = `asks-${newId()}`;
  await store.enqueue([
    admission(newId(), { lane: sessionId, type, payload: JSON.stringify(payload) }),
  ]);
  const claimed = await claim(store, sessionId, type);
  const { run, fence } = claimed;
  await store.write([{ lane: sessionId, fence, start: true }]);
  const asked = await store.openApproval({
    id: newId(),
    sessionId,
    runId: run.id,
    attempt: 1,
    callId: 'call',
    kind: 'tool',
    tool: 'Bash',
    input: { command: 'npm publish', description: 'Publish it' },
    masked: false,
    original: null,
    digest: newId(),
    reason: 'no rule covers this',
    enforced: false,
    fence,
    ...given,
  });
  await store.write([{ lane: sessionId, fence, ask: true }]);
  return { claimed, asked: asked! };
}

/** Parks the run, as after minutes without an answer: its process is stopped, and no node has it. */
export async function park(
  store: Pick<Store, 'write'>,
  { claimed: { run, fence } }: Asking,
): Promise<void> {
  const end = { outcome: { kind: 'left_waiting' }, retryDelayMs: 0 } as const;
  await store.write([{ lane: run.lane, fence, end }]);
}

/** Tries again if another node has just locked the lane or pinned it to its host. */
export async function claim(store: Stores, lane: string, type: string): Promise<ClaimedRun> {
  for (;;) {
    const nodeId = newId();
    const host = (await store.getLane(lane))?.host ?? NODE.host;
    await store.join({ ...NODE, id: nodeId, host, roles: [...NODE.roles] }, 3_600_000);
    const caps = { types: {}, perOwner: null };
    const [claimed] = await store.claim({ nodeId, types: [type], limit: 1, caps });
    if (claimed !== undefined) return claimed;
  }
}
