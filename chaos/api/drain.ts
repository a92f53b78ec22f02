import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Caller } from './caller.ts';
import { parseCommand } from './command.ts';

export interface SessionView {
  readonly id: string;
  readonly held: boolean;
  readonly unfinishedRuns: number;
  readonly activeConnections: number;
  readonly lastSeq: number;
}

/** All sessions, from any server that answers; null if none does. */
export async function sessionsBy(caller: Caller): Promise<readonly SessionView[] | null> {
  const sessions: SessionView[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer | null = await caller.insist('GET', `/api/v1/sessions?limit=200${cursor}`);
    if (!Array.isArray(page?.body)) return null;
    sessions.push(...(page.body as SessionView[]));
    cursor = page.next === null ? null : `&cursor=${encodeURIComponent(page.next)}`;
  }
  return sessions;
}

/** Waits until everything that can end has ended; false on timeout. */
export async function drain(caller: Caller, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    const busy = (await sessionsBy(caller))?.filter((one) => one.unfinishedRuns > 0);
    if (busy?.length === 0) return true;
    for (const { id, held } of busy ?? []) {
      if (held) await caller.insist('POST', `/api/v1/sessions/${id}/resume`);
      await endEndless(caller, id);
    }
    await delay(250);
  }
  return false;
}

async function endEndless(caller: Caller, session: string): Promise<void> {
  for (const state of ['running', 'dequeued', 'queued']) {
    const path = `/api/v1/runs?sessionId=${session}&state=${state}&limit=200`;
    const items = (await caller.insist('GET', path))?.body?.items ?? [];
    for (const { id, message } of items as { id: string; message: string }[]) {
      if (parseCommand(message)?.kind !== 'endless') continue;
      // Refused if the run has ended by now, which is fine.
      await caller.insist('POST', `/api/v1/runs/${id}/cancel`);
    }
  }
}

/** Waits until each session and its log show the given number of connections; returns those that do not. */
export async function connectionsAre(
  caller: Caller,
  expected: ReadonlyMap<string, number>,
  ms: number,
): Promise<string[]> {
  const deadline = performance.now() + ms;
  for (;;) {
    const wrong: string[] = [];
    for (const session of (await sessionsBy(caller)) ?? []) {
      const wanted = expected.get(session.id) ?? 0;
      const logged = (await loggedConnections(caller, session)) ?? wanted;
      const shown = session.activeConnections;
      if (shown === wanted && logged === wanted) continue;
      wrong.push(`session ${session.id} shows ${shown}, its log ${logged}, there are ${wanted}`);
    }
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await delay(200);
  }
}

/** The number of connections logged last, if it is near the end of the log. */
async function loggedConnections(
  caller: Caller,
  { id, lastSeq }: SessionView,
): Promise<number | undefined> {
  const after = Math.max(0, lastSeq - 50);
  const path = `/api/v1/sessions/${id}/events?follow=false&limit=1000&after=${after}`;
  const items: { type: string; payload: { activeConnections: number } }[] =
    (await caller.insist('GET', path))?.body?.items ?? [];
  return items.findLast(({ type }) => type === 'session.connections')?.payload.activeConnections;
}
