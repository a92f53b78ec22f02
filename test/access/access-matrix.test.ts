import { describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../src/access/access-store.ts';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpointList } from '../../src/contract/api/endpoints.ts';
import type { Level } from '../../src/contract/level.ts';
import { casesOf } from '../support/depth.ts';
import {
  type Actor,
  absent,
  makeActors,
  Subjects,
  seesAll,
  Traces,
} from './access-matrix-actors.ts';
import { type Answer, ask } from './access-matrix-ask.ts';
import { type AccessRig, accessRig } from './access-matrix-rig.ts';
import { type Row, routeOf, routesOf, rowsFor } from './access-matrix-rows.ts';

const HEIGHT: Record<Level, number> = { view: 1, operate: 2, own: 3 };

/** Strangers' requests are sampled on the second database, because no route ever sees them. */
const SOME = 8;

/** All of X2 and X3: who is asking, what their credential allows, and whose the thing is. */
function expected(row: Row, actor: Actor, is: Level | null): number {
  if (row.open) return row.status;
  if (actor.stranger !== undefined) return 401;
  if (row.needs !== null && !actor.rights.includes(row.needs)) return 403;
  if (row.reads && !actor.rights.includes('read')) return 403;
  if (row.subject === null) return row.status;
  if (is === null) return 404;
  return HEIGHT[is] < HEIGHT[row.level] ? 403 : row.status;
}

/**
 * Whose things a response may mention: the actor's own and, if the request was allowed, shared
 * ones.
 */
function allowed(actor: Actor, answer: Answer, is: Level | null): (word: string) => boolean {
  if (answer.status >= 400) return () => false;
  if (seesAll(actor)) return () => true;
  const shared = is !== null || actor.is !== null;
  return (word) => word === actor.mine || (word === actor.asked && shared);
}

/** The others wait for a run to start, and none does here. */
const stopsAll = ({ name }: Row): boolean => name === 'putStop';

/** The whole audit log, by request. */
async function auditOf({ store }: AccessRig): Promise<Map<string | null, AuditRecord[]>> {
  const all: AuditRecord[] = [];
  let before: number | undefined;
  do {
    const page = await store.listAudit({ limit: 500, ...(before === undefined ? {} : { before }) });
    all.push(...page);
    before = page.at(-1)?.seq;
  } while (before !== undefined);
  return Map.groupBy(all, ({ requestId }) => requestId);
}

test('[X3] every route the server has is in the table', async () => {
  const { app } = await accessRig();
  const known = new Set(rowsFor(app).map(routeOf));
  expect([...routesOf(app)].filter((route) => !known.has(route))).toEqual([]);
  const upgrades = ['WS /ws/sessions/{id}', 'WS /ws/events'];
  const unknown = [...known].filter(
    (route) => !upgrades.includes(route) && !routesOf(app).has(route),
  );
  expect(unknown).toEqual([]);
});

test('[X2] lists by name what requires an administrator, what requires the owner, and what is open', () => {
  const named = (of: (each: Endpoint) => boolean): string[] =>
    endpointList.flatMap(([name, each]) => (of(each) ? [name] : [])).sort();
  expect(named(({ open }) => open)).toEqual(['healthz', 'readyz']);
  expect(named(({ needs }) => needs === 'admin')).toEqual([
    'createSignInLink',
    'createUser',
    'exportAudit',
    'getUser',
    'listAudit',
    'listNodes',
    'listUsers',
    'metrics',
    'moveSession',
    'putChannelRules',
    'putGlobalRules',
    'putStop',
    'signOutUser',
    'updateUser',
  ]);
  expect(named(({ needs }) => needs === 'account')).toEqual([
    'createToken',
    'listTokens',
    'revokeToken',
  ]);
  expect(named(({ level }) => level === 'own')).toEqual([
    'deleteSession',
    'getShares',
    'moveSession',
    'putShares',
    'schedulerDeleteSession',
  ]);
  expect(named(({ method, needs }) => method !== 'GET' && needs === 'read')).toEqual([
    'createTicket',
    'testPolicy',
  ]);
  expect(named(({ method, level }) => method !== 'GET' && level === 'view')).toEqual([
    'createTicket',
    'testPolicy',
  ]);
});

describe.each(casesOf(['sqlite', 'postgres'], ['sqlite']))('on %s', (database) => {
  test('[X1] [X2] [X3] [P6] every route × every actor: the right status, nothing of others, one line in the audit log', {
    timeout: 300_000,
  }, async () => {
    const rig = await accessRig(database);
    const traces = new Traces();
    const actors = await makeActors(rig, traces);
    const host = await rig.user('host', 'operator');
    await rig.user('hanako', 'operator');
    const wrong: string[] = [];
    const asked: { row: Row; actor: Actor; answer: Answer }[] = [];

    const check = async (row: Row, actor: Actor, subjects: Subjects): Promise<void> => {
      const subject = await subjects.for(row);
      const { id, is } = subject;
      const answer = await ask(rig.url, row, actor.token, id);
      asked.push({ row, actor, answer });
      subjects.asked(row, subject, answer.status);
      const due = expected(row, actor, is);
      const say = (what: string): number => wrong.push(`${actor.name}: ${row.name}: ${what}`);
      if (answer.status !== due) say(`${answer.status}, not ${due}: ${answer.text.slice(-300)}`);
      const may = allowed(actor, answer, is);
      const leaked = row.names ? [] : [...traces.in(answer.text)].filter((word) => !may(word));
      if (leaked.length > 0) say(`shows ${leaked}: ${answer.text.slice(-300)}`);
      if (due !== 404) return;
      const nothing = await ask(rig.url, row, actor.token, absent(row.subject));
      if (nothing.text !== answer.text) say(`${answer.text} unlike ${nothing.text}`);
    };

    const rows = rowsFor(rig.app);
    const asks = ({ stranger }: Actor, index: number): boolean =>
      database === 'sqlite' || stranger === undefined || index % SOME === 0;
    const [alone, beside] = [rows.filter(stopsAll), rows.filter((row) => !stopsAll(row))];
    const all = actors.map((actor) => ({
      actor,
      subjects: new Subjects(rig, traces, actor, host),
    }));
    await Promise.all(
      all.map(async ({ actor, subjects }) => {
        for (const [index, row] of rows.entries()) {
          if (asks(actor, index) && beside.includes(row)) await check(row, actor, subjects);
        }
      }),
    );
    for (const { actor, subjects } of all) {
      for (const row of alone.filter((each) => asks(actor, rows.indexOf(each)))) {
        await check(row, actor, subjects);
        await rig.store.setStop(null);
      }
    }
    expect(wrong).toEqual([]);

    const audit = await auditOf(rig);
    for (const { row, actor, answer } of asked) {
      const lines = audit.get(answer.requestId ?? '') ?? [];
      const due = row.audited && answer.status < 400 ? [actor.userId] : [];
      const users = lines.map(({ userId }) => userId);
      if (String(users) !== String(due)) {
        wrong.push(`${actor.name}: ${row.name}: ${users.length} lines in the audit log`);
      }
    }
    expect(wrong).toEqual([]);
    const due = actors.flatMap((actor) => rows.filter((_, index) => asks(actor, index)));
    expect(asked.length).toBe(due.length);
  });
});
