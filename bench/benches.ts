import { approval } from './cases/agents/approval.ts';
import { hello } from './cases/agents/hello.ts';
import { manySessions } from './cases/agents/many-sessions.ts';
import { output } from './cases/agents/output.ts';
import { appendToSse } from './cases/api/append-to-sse.ts';
import { fanOut } from './cases/api/fan-out.ts';
import { serverMemory } from './cases/api/memory.ts';
import { postMessages } from './cases/api/post-messages.ts';
import { shellRun } from './cases/api/shell-run.ts';
import { startReady } from './cases/api/start.ts';
import { stateWrites } from './cases/api/state-writes.ts';
import { append } from './cases/append.ts';
import { appendToTail } from './cases/append-to-tail.ts';
import { claimScaling } from './cases/claim-scaling.ts';
import { access } from './cases/cluster/access.ts';
import { appendToOther } from './cases/cluster/append-to-other.ts';
import { databaseBack } from './cases/cluster/database-back.ts';
import { forward } from './cases/cluster/forward.ts';
import { postThroughTwo } from './cases/cluster/post-through-two.ts';
import { fairness } from './cases/fairness.ts';
import { idleDispatch } from './cases/idle-dispatch.ts';
import { memory } from './cases/memory.ts';
import { orderedDrain, orderedDrainFresh, orderedDrainSmall } from './cases/ordered-drain.ts';
import { hostileCommand } from './cases/policy/hostile-command.ts';
import { realPaths } from './cases/policy/real-paths.ts';
import { quick } from './cases/quick.ts';
import { sqlite } from './cases/sqlite.ts';
import { takeover } from './cases/takeover.ts';
import { unorderedDrain } from './cases/unordered-drain.ts';
import { firstPage } from './cases/web/first-page.ts';
import { longSessionCase } from './cases/web/long-session.ts';
import { onScreen } from './cases/web/on-screen.ts';
import { streaming } from './cases/web/streaming.ts';
import { usable } from './cases/web/usable.ts';
import type { Resources } from './resources.ts';
import type { Report } from './result.ts';

export interface Scene {
  readonly resources: Resources;
  /** How often each contender is measured. */
  readonly rounds: number;
  /** How long a continuous case runs. */
  readonly minutes: number;
  readonly report: Report;
}

/** Measures and reports; throws if anything it started was not completed. */
export type Case = (scene: Scene) => Promise<void>;

/** The cases of each benchmark, in the order they run. */
export const benches: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  queue: {
    'ordered-drain': orderedDrain,
    'ordered-drain-fresh': orderedDrainFresh,
    'ordered-drain-small': orderedDrainSmall,
    'unordered-drain': unorderedDrain,
    'claim-scaling': claimScaling,
    'idle-dispatch': idleDispatch,
    takeover,
    fairness,
    append,
    'append-to-tail': appendToTail,
    memory,
    sqlite,
    quick,
  },
  api: {
    'append-to-sse': appendToSse,
    'fan-out': fanOut,
    memory: serverMemory,
    'post-messages': postMessages,
    'state-writes': stateWrites,
    start: startReady,
    'shell-run': shellRun,
  },
  cluster: {
    'post-through-two': postThroughTwo,
    'append-to-other': appendToOther,
    access,
    'database-back': databaseBack,
    forward,
  },
  policy: { 'hostile-command': hostileCommand, 'real-paths': realPaths },
  agents: { hello, 'many-sessions': manySessions, output, approval },
  web: {
    'first-page': firstPage,
    usable,
    'long-session': longSessionCase,
    'on-screen': onScreen,
    streaming,
  },
};
