import type { Right, Role, ShareLevel } from '../../src/contract/access.ts';
import type { Level } from '../../src/contract/level.ts';
import { newId } from '../../src/contract/values/ids.ts';
import type { Person } from '../support/principals.ts';
import { until } from '../support/until.ts';
import { type AccessRig, operator } from './access-matrix-rig.ts';
import { creationOf, ID, type Row, type Subject } from './access-matrix-rows.ts';

/* The actors. Each is a separate user, with things of their own that nobody else may see. */

export const ALL: readonly Right[] = ['read', 'run', 'account', 'admin'];
/** As in SPEC X2, not taken from the code. */
const RIGHTS: Record<Role, readonly Right[]> = {
  viewer: ['read', 'account'],
  operator: ['read', 'run', 'account'],
  admin: ALL,
};

interface Kind {
  readonly role: Role;
  readonly scopes?: readonly Right[];
  /** Why the credential is not valid. */
  readonly stranger?: 'none' | 'wrong' | 'expired' | 'revoked' | 'disabled';
  /** Their access to the things they ask for. */
  readonly is: Level | null;
}

export const KINDS: Record<string, Kind> = {
  'no credential': { role: 'operator', is: 'own', stranger: 'none' },
  'a wrong credential': { role: 'operator', is: 'own', stranger: 'wrong' },
  'an expired credential': { role: 'operator', is: 'own', stranger: 'expired' },
  'a revoked credential': { role: 'operator', is: 'own', stranger: 'revoked' },
  'a disabled user': { role: 'operator', is: 'own', stranger: 'disabled' },
  'no read': { role: 'admin', is: 'own', scopes: ['run', 'account', 'admin'] },
  'no run': { role: 'admin', is: 'own', scopes: ['read', 'account', 'admin'] },
  'no account': { role: 'admin', is: 'own', scopes: ['read', 'run', 'admin'] },
  'an admin without that scope': { role: 'admin', is: null, scopes: ['read', 'run', 'account'] },
  'viewer, owner': { role: 'viewer', is: 'own' },
  'viewer, shared to view': { role: 'viewer', is: 'view' },
  'viewer, shared to operate': { role: 'viewer', is: 'operate' },
  'another viewer': { role: 'viewer', is: null },
  'operator, owner': { role: 'operator', is: 'own' },
  'operator, shared to view': { role: 'operator', is: 'view' },
  'operator, shared to operate': { role: 'operator', is: 'operate' },
  'another operator': { role: 'operator', is: null },
  admin: { role: 'admin', is: null },
};

export interface Actor extends Kind {
  readonly name: string;
  readonly userId: string;
  readonly token: string | null;
  readonly rights: readonly Right[];
  /** Words contained in all their own things, and in all things made for their requests. */
  readonly mine: string;
  readonly asked: string;
}

export const seesAll = ({ rights, stranger }: Actor): boolean =>
  stranger === undefined && rights.includes('admin');

/** Words and ids that show whose a thing is. */
export class Traces {
  readonly #ofIds = new Map<string, string>();

  note(word: string, ...ids: readonly string[]): void {
    for (const id of ids) this.#ofIds.set(id, word);
  }

  /** The words of all things that a text mentions. */
  in(text: string): Set<string> {
    const words = text.match(/\b(?:mine|asked)\d\dx/g) ?? [];
    const ids = text.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [];
    return new Set([...words, ...ids.flatMap((id) => this.#ofIds.get(id) ?? [])]);
  }
}

export async function makeActors(rig: AccessRig, traces: Traces): Promise<Actor[]> {
  const entries = Object.entries(KINDS);
  return Promise.all(entries.map(([name, kind], i) => makeActor(rig, traces, name, kind, i + 10)));
}

async function makeActor(
  rig: AccessRig,
  traces: Traces,
  name: string,
  kind: Kind,
  no: number,
): Promise<Actor> {
  const mine = `mine${no}x`;
  const userId = await rig.user(`user-${mine}`, kind.role);
  const { id, run } = await rig.session(userId, mine);
  const queued = await rig.send(userId, id, mine);
  const shown = await credential(rig, userId, kind, mine);
  const other = await rig.session(userId, mine);
  const approval = await rig.approval(other.id, mine);
  traces.note(mine, userId, id, run, queued, other.id, other.run, approval);
  const scopes = kind.scopes ?? ALL;
  const rights = RIGHTS[kind.role].filter((right) => scopes.includes(right));
  return { ...kind, name, userId, token: shown, rights, mine, asked: `asked${no}x` };
}

async function credential(
  { token, store }: AccessRig,
  userId: string,
  { stranger, scopes = ALL }: Kind,
  name: string,
): Promise<string | null> {
  if (stranger === 'none') return null;
  if (stranger === 'wrong') return `baton_token_${'w'.repeat(43)}`;
  const expiresInMs = stranger === 'expired' ? 1 : null;
  const made = await token(userId, scopes, { name, expiresInMs });
  if (stranger === 'expired') {
    await until(async () => (await store.findToken(made.digest)) === 'expired');
  }
  if (stranger === 'revoked') await store.revokeToken(made.id);
  if (stranger === 'disabled') await store.updateUser(userId, { disabled: true });
  return made.token;
}

export interface Asked {
  readonly id: string;
  /** The asking actor's access to it. */
  readonly is: Level | null;
}

/** Things for one actor's requests: reused while no request has changed them, otherwise fresh. */
export class Subjects {
  readonly #make: (row: Row) => Promise<Asked>;
  readonly #unchanged = new Map<string, Asked>();

  constructor(rig: AccessRig, traces: Traces, actor: Actor, host: string) {
    this.#make = (row) => makeSubject(rig, traces, actor, host, row);
  }

  async for(row: Row): Promise<Asked> {
    const kept = this.#unchanged.get(kindOf(row));
    this.#unchanged.delete(kindOf(row));
    return kept ?? (await this.#make(row));
  }

  /** Call with the response's status: refusals and reads change nothing. */
  asked(row: Row, subject: Asked, status: number): void {
    const isRead = row.method === 'GET' || row.method === 'WS';
    if (isRead || status >= 400) this.#unchanged.set(kindOf(row), subject);
  }
}

/** The same for rows whose things have the same state. */
const kindOf = ({ subject, name }: Row): string =>
  STATES.find((state) => name === state) ??
  (name.endsWith('getArtefact') ? name : JSON.stringify(subject));
const STATES = ['reopen', 'resume', 'retry', 'retryRun'];

/** Creates a thing for one request, in the state that the request needs. */
async function makeSubject(
  rig: AccessRig,
  traces: Traces,
  actor: Actor,
  host: string,
  { subject, name }: Row,
): Promise<Asked> {
  const { asked } = actor;
  const ownerId = actor.is === 'own' ? actor.userId : host;
  if (subject === null) return { id: '', is: null };
  if (subject === 'user') {
    const id = await rig.user(`${asked}-${newId()}`, 'operator');
    traces.note(asked, id);
    return { id, is: seesAll(actor) ? 'own' : null };
  }
  const session = await rig.session(ownerId, asked);
  traces.note(asked, session.id, session.run);
  if (typeof subject === 'object') {
    const id = await makeNoun(rig, subject.noun, ownerId, session.id, asked);
    traces.note(asked, id);
    return { id, is: actor.is === 'own' || seesAll(actor) ? 'own' : null };
  }
  if (actor.is === 'view' || actor.is === 'operate') {
    await rig.store.putShares(session.id, [
      { userId: actor.userId, level: actor.is as ShareLevel },
    ]);
  }
  const is = seesAll(actor) ? 'own' : actor.is;
  const by = operator(ownerId);
  if (name.endsWith('getArtefact')) await rig.artefact(session.id, asked);
  if (name === 'reopen') await rig.services.sessions.act(by, session.id, 'complete');
  if (name === 'resume') await rig.services.sessions.act(by, session.id, 'hold');
  if (name === 'retry') await rig.store.changeSession(session.id, { do: 'fail', error: 'no' });
  if (subject === 'session') return { id: session.id, is };
  if (subject === 'approval') {
    const id = await rig.approval(session.id, asked);
    traces.note(asked, id);
    return { id, is };
  }
  if (name === 'retryRun') return { id: session.run, is };
  const queued = await rig.send(ownerId, session.id, asked);
  traces.note(asked, queued);
  return { id: queued, is };
}

/** Its service has the noun's name. */
async function makeNoun(
  { services }: AccessRig,
  noun: string,
  ownerId: string,
  sessionId: string,
  name: string,
): Promise<string> {
  const { body, schema } = creationOf(noun)!;
  const text = JSON.stringify({ ...body, name }).replaceAll(ID, sessionId);
  const creators = services as unknown as Record<string, Creator>;
  return (await creators[noun]!.create(operator(ownerId), schema.parse(JSON.parse(text)))).id;
}

interface Creator {
  create(by: Person, body: unknown): Promise<{ readonly id: string }>;
}

/** The id of something that does not exist. */
export const absent = (subject: Subject): string => (subject === null ? '' : newId());
