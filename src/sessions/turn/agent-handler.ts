import type { Attachment, ForkPoint, ToolCall } from '../../agents/driver.ts';
import { capabilitiesOf, takesCommands } from '../../contract/agent-kinds.ts';
import { isBatonError } from '../../contract/errors.ts';
import type { HandlerEvents } from '../../contract/events/table.ts';
import type { AgentPayload } from '../../contract/message.ts';
import { isBusy } from '../../contract/outcome.ts';
import type { Verdict } from '../../contract/policy.ts';
import type { Run } from '../../contract/run.ts';
import type { Json } from '../../contract/values/json.ts';
import { shellCall } from '../../policy/tools/call.ts';
import type { OwnFiles } from '../../policy/tools/own-files.ts';
import { unknownTools } from '../../policy/tools/unknown-tools.ts';
import { fail, HandlerError, messageOf } from '../../queue/handler-result.ts';
import type { Store } from '../../queue/store.ts';
import type { AttemptContext } from '../../queue/worker/attempt-context.ts';
import type { SecretBox } from '../../secrets/box.ts';
import { WorkspaceError } from '../../workspaces/provider.ts';
import type { Runtime } from '../../workspaces/runtime.ts';
import { sealCall } from '../approvals/call-original.ts';
import { openAttachment } from '../messages/attachments.ts';
import { openOriginal, textOfSteer } from '../messages/messages.ts';
import { writeAttachments } from '../messages/write-attachments.ts';
import type { Provisioner } from '../provisioner.ts';
import { patient, retryWhileAway } from '../retry-while-away.ts';
import { refusedStart } from '../rules/agent-check.ts';
import { denialOf, explain, refusalOf } from '../rules/command-check.ts';
import { judgeCall } from '../rules/judge-call.ts';
import { mayUse, type SenderStore } from '../rules/sender-check.ts';
import type { SessionWithFacts } from '../session-record.ts';
import { type TurnParts, takeTurn } from './agent-turn.ts';
import { type PriorAttemptsOptions, readPriorAttempts } from './prior-attempts.ts';
import { planTurn } from './turn-plan.ts';

export interface AgentHandlerOptions extends TurnParts {
  readonly store: TurnParts['store'] &
    PriorAttemptsOptions['store'] &
    Pick<Store, 'get'> &
    SenderStore;
  readonly provisioner: Provisioner;
  readonly box: SecretBox;
  readonly ownFiles: OwnFiles;
}

/** Executes runs of type `agent`: one run loop for every driver (A1). */
export const agentHandler =
  (given: AgentHandlerOptions) =>
  async (payload: AgentPayload, context: AttemptContext<HandlerEvents>): Promise<unknown> => {
    const { run, signal } = context;
    const options = { ...given, store: patient(given.store, signal) };
    const { store, box, ownFiles } = options;
    const current = await store.getSession(run.lane);
    if (current === null)
      return fail('invalid_request', 'The session that this run belongs to no longer exists.');
    let runtime: Runtime;
    try {
      runtime = await unlessStopped(
        signal,
        retryWhileAway(signal, () => options.provisioner.prepare(current)),
      );
    } catch (error) {
      if (!(error instanceof WorkspaceError)) throw error;
      return fail('agent_unavailable', error.message);
    }
    const message = await messageFor(payload, run, options);
    if (message === null) {
      return fail(
        'invalid_request',
        'The original text of this message is no longer stored. Send it again.',
      );
    }
    await killLeftovers(runtime, run, options);
    const { agent } = current.session;
    const { maskJson } = options;
    const prior = await readPriorAttempts({ store, context, runtime, maskJson, agent, message });
    if (prior.unsafe !== null) return fail('interrupted_unsafe', prior.unsafe);
    if (isUsedUp(current)) return fail('budget_reached', USED_UP);
    const isNew = !prior.begun && (await startsFresh(run, options));
    const { conversation, forkPoint } = isNew ? NO_CONVERSATION : current.session;
    const plan = planTurn({ message, conversation, forkPoint, ...prior });
    const refused =
      (await checkPeople(current, plan.fork, payload.sender, run, options)) ??
      (await checkStart(current, plan.message, runtime, payload, context, options));
    if (refused !== null) return refused;
    let attachments: Attachment[] | null;
    try {
      attachments = await filesFor(payload, run, options, runtime);
    } catch (error) {
      if (isBatonError(error) || isBusy(error) || signal.aborted) throw error;
      return fail(
        'agent_unavailable',
        `The attached files could not be written: ${messageOf(error)}`,
      );
    }
    if (attachments === null) return fail('invalid_request', NO_FILES);

    const decide = async (call: ToolCall): Promise<Verdict> => {
      // Read for every call, because rules change, and because a person's standing applies from the
      // moment they say something to the run's agent (P2, P3).
      const [rules, others] = await Promise.all([
        store.rulesFor(run.lane),
        store.speakersIn(run.id),
      ]);
      return judgeCall(call, runtime, { sent: payload, others }, rules, ownFiles);
    };
    const turn = takeTurn({
      current,
      runtime,
      plan: { ...plan, attachments, tools: unknownTools(payload.allowedTools ?? []) },
      reusableAnswers: prior.reusableAnswers,
      context,
      parts: options,
      decide,
      seal: (input, id) => sealCall(input, id, box),
      open: (sealed) => JSON.parse(openOriginal(sealed, run.lane, box)) as Json,
      digest: (text) => box.digest(text, `tool call in ${run.lane}`),
    });
    return turn.catch(failIfTaken);
  };

/** The conversation belongs to another session, so this run must not continue it (A3). */
function failIfTaken(error: unknown): unknown {
  if (!isBatonError(error, 'conversation_taken')) throw error;
  return fail('invalid_request', error.message);
}

/**
 * Since the message was queued, its sender may have been disabled or demoted, or may have lost
 * access to the session. If the original session was forked before any of its runs had ended, the
 * fork copies the original's conversation as it is now, so the fork's owner must still be able to
 * read the original.
 */
async function checkPeople(
  { session: { ownerId, forkedFrom } }: SessionWithFacts,
  fork: ForkPoint | undefined,
  sender: string,
  run: Run,
  { store }: AgentHandlerOptions,
): Promise<unknown> {
  const may = (...who: [userId: string, sessionId: string, right: 'read' | 'run']) =>
    mayUse(store, ...who);
  if (!(await may(sender, run.lane, 'run'))) return fail('permission_denied', NO_LONGER_ALLOWED);
  if (fork?.head !== null || forkedFrom === null) return null;
  if (await may(ownerId, forkedFrom, 'read')) return null;
  return fail('conversation_lost', ORIGINAL_NOT_SHARED);
}

const NO_LONGER_ALLOWED =
  'The person who sent this message is no longer allowed to run agents in this session. Someone with permission can retry it.';
const ORIGINAL_NOT_SHARED =
  'This session’s owner can no longer read the session it was forked from, so the conversation was not copied. Retry to start a new conversation.';

/**
 * Rules may have changed since the agent was configured and the message was sent. Refuses to start
 * anything that the rules now deny (P1, P3).
 */
async function checkStart(
  { session: { agent, agentStanding } }: SessionWithFacts,
  message: string,
  runtime: Runtime,
  payload: AgentPayload,
  context: AttemptContext<HandlerEvents>,
  { store, masker, onDenied, ownFiles }: AgentHandlerOptions,
): Promise<unknown> {
  const { run } = context;
  const rules = await store.rulesFor(run.lane);
  const location = { cwd: runtime.root, home: runtime.home };
  const start =
    rules === null ? null : refusedStart(agent, location, agentStanding, rules, ownFiles);
  const command = takesCommands(agent)
    ? await refusalOf(message, agent, payload, (call, sent) =>
        judgeCall(call, runtime, { sent }, rules, ownFiles),
      )
    : null;
  const verdict = start?.verdict ?? command;
  if (verdict === null) return null;
  onDenied?.();
  const call = start?.call ?? shellCall(message);
  await context.emit('policy.denied', denialOf(call, verdict, masker));
  const field = start === null ? '' : `${start.field}: `;
  return fail('permission_denied', masker.mask(`${field}${explain(verdict)}`));
}

/**
 * A workspace may take a long time to become ready, or never become ready, but a run can be stopped
 * at any time (Q9).
 */
async function unlessStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Checked before the start, because agents do not accept a budget of zero. */
const isUsedUp = ({ session: { agent, budgetUsd, costUsd } }: SessionWithFacts): boolean =>
  capabilitiesOf(agent.kind).spends && budgetUsd !== null && costUsd >= budgetUsd;

const USED_UP = "The session's budget is used up. Raise the budget and retry.";

const NO_CONVERSATION = { conversation: null, forkPoint: null } as const;

/** Retrying a run whose conversation was lost starts a new conversation (A3). */
async function startsFresh({ retryOf }: Run, { store }: AgentHandlerOptions): Promise<boolean> {
  if (retryOf === null) return false;
  const before = await store.get(retryOf);
  return before?.error?.class === 'conversation_lost';
}

/**
 * An agent whose end was not recorded may still be alive, whether it was started by this run or by
 * an earlier run that died with its node. Only the holder of the lane's claim may work in the lane
 * (A3).
 */
async function killLeftovers(
  runtime: Runtime,
  run: Run,
  { store, clock }: AgentHandlerOptions,
): Promise<void> {
  for (const left of await store.listUnfinished(run.lane)) {
    const alive = await runtime.stopLeftovers(left.runId);
    if (alive.length > 0) {
      const message = `The agent of an earlier attempt could not be killed (pid ${alive.join(', ')}).`;
      throw new HandlerError('agent_crash', message);
    }
    const ended = { ...left, finishedAt: clock(), error: left.error ?? CUT_OFF };
    await store.putInvocation(ended);
  }
}

const CUT_OFF = {
  class: 'agent_crash',
  message: 'The node died before the agent finished.',
} as const;

async function messageFor(
  payload: AgentPayload,
  run: Run,
  { store, box }: AgentHandlerOptions,
): Promise<string | null> {
  const sealed = payload.original ? await store.readOriginal(run.id) : undefined;
  if (sealed === null) return null;
  const message = sealed === undefined ? payload.message : openOriginal(sealed, run.lane, box);
  if (run.startedAt === null && run.retryOf === null) return message;
  // The agent that was given these messages may have died before it read them.
  const runs = await withRetried(run, store);
  const steers = await store.listSteers(runs);
  const given: string[] = [];
  for (const steer of steers) {
    const { state, sender, sessionId } = steer;
    if (state !== 'given') continue;
    const isAllowed = await mayUse(store, sender, sessionId, 'run');
    if (isAllowed) given.push(textOfSteer(box)(steer));
  }
  return given.length === 0 ? message : [message, ADDED_LATER, ...given].join('\n\n');
}

/** Reading more of them would keep the node busy. */
const RETRIES_MAX = 20;

/** The run, and the latest of the runs that it retries. */
async function withRetried(run: Run, store: AgentHandlerOptions['store']): Promise<string[]> {
  const runs = [run.id];
  for (let { retryOf } = run; retryOf !== null && runs.length <= RETRIES_MAX; ) {
    runs.push(retryOf);
    retryOf = (await store.get(retryOf))?.retryOf ?? null;
  }
  return runs;
}

const ADDED_LATER = 'While an earlier attempt was working on this, these messages were added:';

const NO_FILES = 'The files of this message are no longer stored. Send it again with its files.';

/**
 * Attached files are written again for each attempt, because the previous one may have changed
 * them.
 * Null if they are no longer stored.
 */
async function filesFor(
  payload: AgentPayload,
  run: Run,
  { store, box }: AgentHandlerOptions,
  { files: workspace }: Runtime,
): Promise<Attachment[] | null> {
  if ((payload.attachments ?? []).length === 0) return [];
  const stored = await store.readAttachments(run.id);
  if (stored.length === 0) return null;
  const files = stored.map(({ sealed, ...rest }) => ({
    ...rest,
    content: openAttachment(sealed, run.lane, box),
  }));
  return writeAttachments(workspace, run.id, files);
}
