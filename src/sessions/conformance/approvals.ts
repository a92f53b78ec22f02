import { expect } from 'vitest';
import { EVENT_PAYLOAD_MAX } from '../../contract/event.ts';
import type { Standing } from '../../contract/message.ts';
import { newId } from '../../contract/values/ids.ts';
import { LEASE_MS, refused } from '../../queue/conformance/rig.ts';
import { READY } from '../../queue/hint.ts';
import type { ClaimedRun } from '../../queue/store.ts';
import type { ApprovalAnswer, ApprovalRecord, NewApproval } from '../approvals/approval-store.ts';
import type { SessionRule, SessionStoreRig } from './rig.ts';

export const question = (
  { run, fence }: ClaimedRun,
  given: Partial<NewApproval> = {},
): NewApproval => ({
  id: newId(),
  sessionId: run.lane,
  runId: run.id,
  attempt: 1,
  callId: 'toolu_1',
  kind: 'tool',
  tool: 'Bash',
  input: { command: 'git push' },
  masked: false,
  original: null,
  digest: 'd1',
  reason: 'No rule allows it.',
  enforced: false,
  fence,
  ...given,
});

export const ALLOW: ApprovalAnswer = {
  decision: 'allow',
  scope: 'once',
  message: null,
  editedInput: null,
  sealedInput: null,
  decidedBy: 'ann',
  answerStanding: null,
  rule: null,
};
const DENY: ApprovalAnswer = { ...ALLOW, decision: 'deny', message: 'Not today.' };

/** A run that asks a question; its process is alive, and it is not waiting yet. */
export async function asking(
  rig: SessionStoreRig,
  given: Partial<NewApproval> = {},
): Promise<{ claimed: ClaimedRun; asked: ApprovalRecord }> {
  const id = await rig.session();
  const claimed = await rig.begin(id);
  const asked = await rig.store.openApproval(question(claimed, given));
  return { claimed, asked: asked! };
}

export function approvalRules(rule: SessionRule): void {
  rule('[P4] the original of a masked input is stored beside the question', async (rig) => {
    const { asked } = await asking(rig, { masked: true, original: 'sealed' });
    expect(asked.masked).toBe(true);
    expect((await rig.store.getApproval(asked.id))?.masked).toBe(true);
    expect(await rig.store.readCall(asked.id)).toBe('sealed');
    const plain = await asking(rig);
    expect(await rig.store.getApproval(plain.asked.id)).toMatchObject({ masked: false });
    expect(await rig.store.readCall(plain.asked.id)).toBeNull();
    await expect(rig.store.readCall(newId())).rejects.toEqual(refused('not_found'));
  });

  rule('[A7] a question is stored in full and emitted', async (rig) => {
    const { claimed, asked } = await asking(rig, { enforced: true });
    const { run } = claimed;
    expect(asked).toMatchObject({
      enforced: true,
      sessionId: run.lane,
      runId: run.id,
      callId: 'toolu_1',
      input: { command: 'git push' },
      state: 'pending',
      createdAt: rig.now,
      decidedAt: null,
      usedAt: null,
    });
    expect(await rig.store.getApproval(asked.id)).toEqual(asked);
    expect(await rig.store.listApprovalsOf(run.id)).toEqual([asked]);
    expect(await rig.store.getSession(run.lane)).toMatchObject({ openQuestions: 1 });
    const [emitted] = await rig.events(run.lane, 'approval.requested');
    expect(emitted).toMatchObject({
      runId: run.id,
      attempt: 1,
      payload: {
        approvalId: asked.id,
        callId: 'toolu_1',
        tool: 'Bash',
        kind: 'tool',
        input: { command: 'git push' },
        reason: 'No rule allows it.',
      },
    });
    expect(await rig.store.getApproval(newId())).toBeNull();
  });

  rule('[A7] a run has one open question per call', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const again = await rig.store.openApproval(question(claimed, { attempt: 2 }));
    expect(again).toEqual(asked);
    const other = await rig.store.openApproval(question(claimed, { digest: 'd2' }));
    expect(other?.id).not.toBe(asked.id);
    await rig.store.decideApproval(asked.id, ALLOW);
    const reopened = await rig.store.openApproval(question(claimed));
    expect(reopened?.id).not.toBe(asked.id);
    const all = await rig.store.listApprovalsOf(claimed.run.id);
    expect(all.map(({ id }) => id)).toEqual([asked.id, other?.id, reopened?.id]);
    expect(await rig.events(claimed.run.lane, 'approval.requested')).toHaveLength(3);
  });

  rule('[Q6] an attempt with an old fence asks nothing and uses no answer', async (rig) => {
    const { claimed, asked } = await asking(rig);
    await rig.store.decideApproval(asked.id, ALLOW);
    await rig.queue.end(claimed, { kind: 'handed_back', reason: 'stopped' });
    const next = await rig.queue.begin();
    expect(await rig.store.openApproval(question(claimed, { digest: 'd2' }))).toBeNull();
    expect(await rig.store.useApproval(asked.id, claimed.fence)).toBe(false);
    expect(await rig.store.useApproval(asked.id, next.fence)).toBe(true);
    const { run } = next;
    const other = await rig.begin(await rig.session());
    expect(await rig.store.openApproval(question({ ...other, run }))).toBeNull();
  });

  rule('[P2] a person who answers with words of their own speaks in the run', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const { run } = claimed;
    const answerStanding: Standing = { channel: 'cli', through: ['web'] };
    await rig.store.decideApproval(asked.id, { ...DENY, answerStanding });
    expect(await rig.store.speakersIn(run.id)).toEqual([answerStanding]);
    const next = await rig.store.openApproval(question(claimed, { digest: 'd2' }));
    await rig.store.decideApproval(next!.id, ALLOW);
    expect(await rig.store.speakersIn(run.id)).toEqual([answerStanding]);
    expect(await rig.store.speakersIn(newId())).toEqual([]);
  });

  rule(
    '[A7] an answer is emitted, and a waiting run with a process takes a slot again',
    async (rig) => {
      const { claimed, asked } = await asking(rig);
      const { run } = claimed;
      await rig.queue.write(claimed, { ask: true });
      rig.advance(50);
      const hint = rig.queue.hint(
        ({ topics, lanes }) => topics.includes(READY) && lanes.includes(run.lane),
      );
      const edited = { ...ALLOW, editedInput: { command: 'git push --dry-run' }, sealedInput: 's' };
      const decided = await rig.store.decideApproval(asked.id, edited);
      await hint;
      expect(decided).toEqual({
        ...asked,
        state: 'allowed',
        scope: 'once',
        editedInput: { command: 'git push --dry-run' },
        sealedInput: 's',
        decidedBy: 'ann',
        decidedAt: rig.now,
      });
      expect(await rig.store.getApproval(asked.id)).toEqual(decided);
      const [emitted] = await rig.events(run.lane, 'approval.decided');
      expect(emitted).toMatchObject({
        runId: run.id,
        payload: {
          approvalId: asked.id,
          callId: 'toolu_1',
          decision: 'allow',
          scope: 'once',
          by: 'ann',
          edited: true,
        },
      });
      await rig.queue.claim();
      expect((await rig.queue.run(run.id)).state).toBe('running');
    },
  );

  rule('[A7] an answer queues a run whose process is gone', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const { run } = claimed;
    await rig.queue.write(claimed, { ask: true });
    rig.advance(LEASE_MS + 1);
    await rig.store.takeOver([]);
    expect((await rig.queue.run(run.id)).state).toBe('waiting');
    await rig.restart();
    expect((await rig.store.reconcileApprovals(10)).changed).toBe(0);
    await rig.store.decideApproval(asked.id, DENY);
    expect(await rig.queue.run(run.id)).toMatchObject({ state: 'queued', crashes: 0 });
    await rig.queue.node('node-2');
    const next = await rig.queue.begin({ nodeId: 'node-2' });
    expect(next.run.id).toBe(run.id);
    const [stored] = await rig.store.listApprovalsOf(run.id);
    expect(stored).toMatchObject({ state: 'denied', message: 'Not today.', usedAt: null });
    expect(await rig.store.useApproval(asked.id, next.fence)).toBe(true);
    expect((await rig.store.getApproval(asked.id))?.usedAt).toBe(rig.now);
  });

  rule('[A7] a question is answered once, also by many at once', async (rig) => {
    const { claimed, asked } = await asking(rig);
    await rig.queue.write(claimed, { ask: true });
    const people = ['ann', 'bob', 'cy', 'dan', 'eve'];
    const answers = await Promise.allSettled(
      people.map((decidedBy, i) =>
        rig.store.decideApproval(asked.id, { ...(i % 2 === 0 ? ALLOW : DENY), decidedBy }),
      ),
    );
    const won = answers.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toEqual(refused('approval_decided'));
    }
    const stored = await rig.store.getApproval(asked.id);
    expect(won[0]).toMatchObject({ value: stored });
    expect(await rig.events(claimed.run.lane, 'approval.decided')).toHaveLength(1);
  });

  rule('[A7] a run that ended or is being cancelled takes no answer', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const { run } = claimed;
    await rig.queue.write(claimed, { ask: true });
    await rig.queue.cancel(run.id);
    const late = (): Promise<unknown> => rig.store.decideApproval(asked.id, ALLOW);
    await expect(late()).rejects.toEqual(refused('approval_decided'));
    await rig.queue.end(claimed, { kind: 'cancelled' });
    await expect(late()).rejects.toEqual(refused('approval_decided'));
    expect((await rig.store.getApproval(asked.id))?.state).toBe('pending');
    expect(await rig.store.reconcileApprovals(10)).toEqual({ changed: 1, more: false });
    expect(await rig.store.reconcileApprovals(10)).toEqual({ changed: 0, more: false });
    expect(await rig.store.getApproval(asked.id)).toMatchObject({
      state: 'withdrawn',
      decidedBy: null,
      decidedAt: rig.now,
    });
    await expect(late()).rejects.toEqual(refused('approval_decided'));
    await expect(rig.store.decideApproval(newId(), ALLOW)).rejects.toEqual(refused('not_found'));
    const [emitted] = await rig.events(run.lane, 'approval.withdrawn');
    // A run's events end with `done`.
    expect(emitted).toMatchObject({ runId: null, payload: { approvalId: asked.id } });
    expect((await rig.queue.eventTypes(run.lane, run.id)).at(-1)).toBe('done');
  });

  rule('[A7] a withdrawn question cannot be answered', async (rig) => {
    const { claimed, asked } = await asking(rig);
    await rig.queue.write(claimed, { ask: true });
    await rig.store.withdrawApproval(asked.id, 'The agent went on.');
    await rig.store.withdrawApproval(asked.id, 'Again.');
    const emitted = await rig.events(claimed.run.lane, 'approval.withdrawn');
    expect(emitted.map(({ runId, payload }) => [runId, payload])).toEqual([
      [claimed.run.id, { approvalId: asked.id, callId: 'toolu_1', reason: 'The agent went on.' }],
    ]);
    const late = rig.store.decideApproval(asked.id, ALLOW);
    await expect(late).rejects.toEqual(refused('approval_decided'));
    expect(await rig.store.useApproval(asked.id, claimed.fence)).toBe(false);
    await rig.queue.claim();
    expect((await rig.queue.run(claimed.run.id)).state).toBe('running');
    const { asked: other } = await asking(rig);
    await rig.store.decideApproval(other.id, ALLOW);
    await rig.store.withdrawApproval(other.id, 'Too late.');
    expect((await rig.store.getApproval(other.id))?.state).toBe('allowed');
  });

  rule('[A7] a run continues when its last open question is gone', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const second = await rig.store.openApproval(question(claimed, { digest: 'd2' }));
    await rig.queue.write(claimed, { ask: true });
    await rig.store.withdrawApproval(asked.id, 'no');
    await rig.queue.claim();
    expect((await rig.queue.run(claimed.run.id)).state).toBe('waiting');
    expect((await rig.store.reconcileApprovals(10)).changed).toBe(0);
    await rig.store.decideApproval(second!.id, ALLOW);
    await rig.queue.claim();
    expect((await rig.queue.run(claimed.run.id)).state).toBe('running');
  });

  rule('[A7] an answer that comes before its run waits is not lost', async (rig) => {
    const { claimed, asked } = await asking(rig);
    await rig.store.decideApproval(asked.id, ALLOW);
    expect((await rig.store.reconcileApprovals(10)).changed).toBe(0);
    await rig.queue.write(claimed, { ask: true });
    // A run that waits for something else is not affected.
    const other = await rig.begin(await rig.session());
    await rig.queue.write(other, { ask: true });
    expect(await rig.store.reconcileApprovals(10)).toEqual({ changed: 1, more: false });
    expect((await rig.store.reconcileApprovals(10)).changed).toBe(0);
    await rig.queue.claim();
    expect((await rig.queue.run(claimed.run.id)).state).toBe('running');
    expect((await rig.queue.run(other.run.id)).state).toBe('waiting');
  });

  rule('[A7] approvals are reconciled in batches', async (rig) => {
    for (let i = 0; i < 5; i++) {
      const { claimed } = await asking(rig);
      await rig.queue.end(claimed);
    }
    let changed = 0;
    for (let more = true; more; ) {
      const reconciled = await rig.store.reconcileApprovals(2);
      expect(reconciled.changed).toBeLessThanOrEqual(2);
      changed += reconciled.changed;
      ({ more } = reconciled);
    }
    expect(changed).toBe(5);
  });

  rule('[A7] an answer is used by one attempt', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const use = (): Promise<boolean> => rig.store.useApproval(asked.id, claimed.fence);
    expect(await use()).toBe(false);
    await rig.store.decideApproval(asked.id, ALLOW);
    expect(await use()).toBe(true);
    const at = rig.now;
    rig.advance(10);
    // Its acknowledgement may have been lost.
    expect(await use()).toBe(true);
    expect((await rig.store.getApproval(asked.id))?.usedAt).toBe(at);
    await rig.queue.end(claimed, { kind: 'handed_back', reason: 'stopped' });
    const next = await rig.queue.begin();
    expect(await rig.store.useApproval(asked.id, next.fence)).toBe(false);
  });

  rule('[A7] lists are newest first, in pages, and cover what the user may see', async (rig) => {
    const mine = await asking(rig);
    const second = (await rig.store.openApproval(question(mine.claimed, { digest: 'd2' })))!;
    const session = await rig.session('ACTIVE', { ownerId: 'bob' });
    const theirs = (await rig.store.openApproval(question(await rig.begin(session))))!;
    await rig.store.decideApproval(second.id, DENY);
    const ids = async (filter: object): Promise<string[]> =>
      (await rig.store.listApprovals({ limit: 10, ...filter })).map(({ id }) => id);
    expect(await ids({})).toEqual([theirs.id, second.id, mine.asked.id]);
    expect(await ids({ limit: 2 })).toEqual([theirs.id, second.id]);
    expect(await ids({ before: second.id })).toEqual([mine.asked.id]);
    expect(await ids({ state: 'pending' })).toEqual([theirs.id, mine.asked.id]);
    expect(await ids({ state: 'denied' })).toEqual([second.id]);
    expect(await ids({ sessionId: session })).toEqual([theirs.id]);
    expect(await ids({ visibleTo: 'bob' })).toEqual([theirs.id]);
    expect(await ids({ visibleTo: 'ann', state: 'pending' })).toEqual([mine.asked.id]);
    expect(await ids({ visibleTo: 'nobody' })).toEqual([]);
  });

  rule('[E5] an input too long for an event is cut there, and stored in full', async (rig) => {
    for (const character of ['x', '語', '\u0000"\\']) {
      const input = { command: character.repeat(300_000) };
      const { claimed, asked } = await asking(rig, { input });
      expect((await rig.store.getApproval(asked.id))?.input).toEqual(input);
      const [emitted] = await rig.events(claimed.run.lane, 'approval.requested');
      expect(emitted?.payload).toMatchObject({ truncated: true, tool: 'Bash' });
      const bytes = Buffer.byteLength(JSON.stringify(emitted?.payload));
      expect(bytes).toBeLessThanOrEqual(EVENT_PAYLOAD_MAX);
      expect(bytes).toBeGreaterThan(EVENT_PAYLOAD_MAX / 4);
    }
  });

  rule('[S12] questions and rules are deleted with their session', async (rig) => {
    const { claimed, asked } = await asking(rig);
    const { lane } = claimed.run;
    const scope = { scope: 'session', sessionId: lane } as const;
    await rig.store.decideApproval(asked.id, { ...ALLOW, scope: 'session', rule: 'Bash(ls)' });
    await rig.queue.end(claimed);
    await rig.store.deleteSession(lane);
    expect(await rig.store.getApproval(asked.id)).toBeNull();
    expect(await rig.store.readRules(scope)).toBeNull();
  });
}
