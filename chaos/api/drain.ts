import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, Caller } from './caller.ts';
import { toldBy } from './command.ts';

export interface SessionView {
  readonly id: string;
  readonly held: boolean;
  readonly unfinishedRuns: number;
  readonly activeConnections: number;
  readonly lastSeq: number;
}

/** All sessions, by any server that answers; null if none does. */
export async function sessionsBy(caller: Caller): Promise<readonly SessionView[] | null> {
  const found: SessionView[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Answer | null = await caller.insist('GET', `/api/v1/sessions?limit=200${cursor}`);
    if (!Array.isArray(page?.body)) return null;
    found.push(...(page.body as SessionView[]));
    cursor = page.next === null ? null : `&cursor=${encodeURIComponent(page.next)}`;
  }
  return found;
}

/** Lets everything end that can; false if it does not within the time. */
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
      if (toldBy(message)?.kind !== 'endless') continue;
      // One that has ended meanwhile refuses, and that is as good.
      await caller.insist('POST', `/api/v1/runs/${id}/cancel`);
    }
  }
}

/** Waits until every session shows so many connections, and so does its log; says which do not. */
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
      const told = (await toldConnections(caller, session)) ?? wanted;
      const shown = session.activeConnections;
      if (shown === wanted && told === wanted) continue;
      wrong.push(`session ${session.id} shows ${shown}, its log ${told}, there are ${wanted}`);
    }
    if (wrong.length === 0 || performance.now() > deadline) return wrong;
    await delay(200);
  }
}

/** What the end of its log says about connections, if it does. */
async function toldConnections(
  caller: Caller,
  { id, lastSeq }: SessionView,
): Promise<number | undefined> {
  const after = Math.max(0, lastSeq - 50);
  const path = `/api/v1/sessions/${id}/events?follow=false&limit=1000&after=${after}`;
  const items: { type: string; payload: { activeConnections: number } }[] =
    (await caller.insist('GET', path))?.body?.items ?? [];
  return items.findLast(({ type }) => type === 'session.connections')?.payload.activeConnections;
}
