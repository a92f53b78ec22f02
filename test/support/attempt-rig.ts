import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AgentDriver, DriverEnd, DriverEvent, Turn } from '../../src/agents/driver.ts';
import { capabilitiesOf } from '../../src/contract/agent-kinds.ts';
import type { HandlerEvents } from '../../src/contract/events/table.ts';
import { AgentPayload } from '../../src/contract/message.ts';
import type { Outcome } from '../../src/contract/outcome.ts';
import type { AgentKind, Session } from '../../src/contract/session.ts';
import { newId } from '../../src/contract/values/ids.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { maskCallJson, maskJson } from '../../src/policy/masking/json.ts';
import { createMasker } from '../../src/policy/masking/masking.ts';
import { OwnFiles } from '../../src/policy/tools/own-files.ts';
import { outcomeOf } from '../../src/queue/handler-result.ts';
import { SILENT } from '../../src/queue/logger.ts';
import type { AttemptContext } from '../../src/queue/worker/attempt-context.ts';
import { aesBox } from '../../src/secrets/aes-box.ts';
import { Steering } from '../../src/sessions/messages/steering.ts';
import { Provisioner } from '../../src/sessions/provisioner.ts';
import { mayUse } from '../../src/sessions/rules/sender-check.ts';
import { agentHandler } from '../../src/sessions/turn/agent-handler.ts';
import type { BatonStore } from '../../src/storage/operations/baton-store.ts';
import { directoryArtefacts } from '../../src/workspaces/artefacts.ts';
import type { Spawn } from '../../src/workspaces/process.ts';
import type { Runtime } from '../../src/workspaces/runtime.ts';
import { claim } from './asking.ts';
import { testRuntime } from './local-runtime.ts';
import { temporaryDirectory } from './processes.ts';
import { serviceRig } from './service-rig.ts';

/** What an agent does in one attempt; all events it yields before it returns are emitted. */
export type Play = (turn: Turn) => AsyncIterable<DriverEvent>;

export interface AttemptRigOptions {
  readonly agent?: AgentKind;
  readonly session?: object;
  readonly spawn?: Spawn;
  /** Processes of an earlier attempt that cannot be stopped. */
  readonly left?: readonly number[];
  /** Called before an attempt's result is stored. */
  readonly onCommit?: (at: {
    readonly store: BatonStore;
    readonly session: Session;
  }) => Promise<void>;
}

const NO_SPAWN: Spawn = () => Promise.reject(new Error('this rig starts no process'));

/** Attempts of runs of one session, over a real store, with agents played by the test. */
export async function attemptRig(options: AttemptRigOptions = {}) {
  const { agent = 'claude' } = options;
  const rig = await serviceRig({ executes: false });
  const { store } = rig;
  const path = temporaryDirectory();
  const workspace = { provider: 'directory', path };
  const session = await rig.session('played', {
    agent: { kind: agent },
    workspace,
    ...options.session,
  });
  const masker = createMasker();
  const box = aesBox(Buffer.alloc(32, 7));
  const runtimeOf = (id: string): Runtime => ({
    ...testRuntime(path, { id, dataDir: rig.dataDir }),
    spawn: options.spawn ?? NO_SPAWN,
    stopLeftovers: async () => options.left ?? [],
  });
  const provisioner = new Provisioner({
    store,
    providerOf: () => ({
      name: 'directory',
      local: true,
      ensure: async ({ sessionId }) => runtimeOf(sessionId),
      observe: async () => 'ready',
      delete: async () => {},
    }),
    log: SILENT,
    host: 'test',
  });

  /** The next attempt of the run at the head of the queue. */
  const attempt = async (play: Play, lane = session.id) => {
    const claimed = await claim(store, lane, 'agent');
    const { run, fence } = claimed;
    const { nodeId } = (await store.getLane(lane))!;
    const write = async (more: object): Promise<void> => {
      const [stored] = await store.write([{ lane, fence, ...more }]);
      if (stored !== true) throw new Error('lost');
    };
    await write({ start: true });
    const stop = new AbortController();
    const context = {
      run,
      attempt: run.attempts,
      fence,
      signal: stop.signal,
      log: SILENT,
      emit: (type: string, payload: unknown) => write({ events: [{ type, payload }] }),
      room: async () => {},
      commit: async (value: unknown) => {
        await options.onCommit?.({ store, session });
        await write({ commit: outcomeOf({ value }) });
      },
      wait: async () => {
        await write({ ask: true });
        await new Promise<never>((_, reject) => {
          stop.signal.addEventListener('abort', () => reject(stop.signal.reason));
        });
      },
    } as unknown as AttemptContext<HandlerEvents>;
    // The rig has no messages for an agent at work.
    const capabilities = { ...capabilitiesOf(agent), steers: false };
    const driver: AgentDriver = { kind: agent, capabilities, run: play };
    const handler = agentHandler({
      store,
      provisioner,
      driverOf: () => driver,
      artefacts: directoryArtefacts(rig),
      masker,
      maskJson: (value) => maskJson(masker, value),
      maskCall: (input) => maskCallJson(masker, input),
      box,
      ownFiles: new OwnFiles({ paths: [rig.dataDir], except: [join(rig.dataDir, 'workspaces')] }),
      clock: Date.now,
      steering: new Steering({
        store,
        textOf: String,
        isAllowed: ({ sender, sessionId }) => mayUse(store, sender, sessionId, 'run'),
        nodeId: () => nodeId,
        log: SILENT,
      }),
    });
    const returned: Promise<Outcome> = Promise.resolve(
      handler(AgentPayload.parse(run.payload), context),
    ).then(
      (value) => outcomeOf({ value }),
      (error: unknown) => outcomeOf({ error }),
    );
    onTestFinished(() => stop.abort(new Error('the test is over')));
    return {
      run,
      fence,
      /** Waits for its end and stores it. */
      ended: async (): Promise<Outcome> => {
        const outcome = await returned;
        await write({ end: { outcome, retryDelayMs: 0 } });
        return outcome;
      },
      /** The node dies; its later writes are refused. */
      die: async (): Promise<void> => {
        await store.leave(nodeId!);
      },
    };
  };

  return {
    ...rig,
    session,
    path,
    attempt,
    say: (message: string, more: object = {}) => rig.send(session.id, message, more),
    events: async (type: string): Promise<Json[]> =>
      (await store.listAfter(session.id, 0, 10_000)).flatMap((event) =>
        event.type === type ? [event.payload] : [],
      ),
  };
}

export const END: DriverEnd = {
  outcome: { kind: 'succeeded', result: { text: 'done' } },
  lastMessage: 'done',
  exitCode: 0,
  signal: null,
  stderr: '',
};

export const init = (conversation = newId()): DriverEvent => ({ kind: 'init', conversation });

export const toolUse = (id: string, tool: string, input: Json): DriverEvent => ({
  kind: 'event',
  type: 'agent.tool_use',
  payload: { id, tool, input },
});

export const forEver = (): Promise<never> => new Promise<never>(() => {});
