import type { FastifyInstance } from 'fastify';
import type { Right } from '../../src/contract/access.ts';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpointList } from '../../src/contract/api/endpoints.ts';
import type { Level } from '../../src/contract/level.ts';
import { STATUS_PATH } from '../../src/server/routes/session-status.ts';
import { PAGES } from '../../src/server/sign-in/pages.ts';

/* Every way to ask the server something, made from the contract; what stands beside it is named here. */

/** What a request names, of which it matters whose it is. */
export type Subject = 'session' | 'run' | 'approval' | 'token' | 'user' | null;

export interface Row {
  readonly name: string;
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  /** Behind the path. */
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly subject: Subject;
  readonly open: boolean;
  /** Null is any credential. */
  readonly needs: Right | null;
  readonly level: Level;
  /** If it is let through. */
  readonly status: number;
  /** Whether it then leaves a line in the audit log. */
  readonly audited: boolean;
  /** Everybody is shown the name of somebody else. */
  readonly names: boolean;
}

/** Where the subject's id is not `{id}` in the path. */
export const ID = '<id>';

/** What the example of the contract does not say. */
const REQUESTS: Record<
  string,
  { readonly query?: string; readonly body?: Row['body']; readonly status?: number }
> = {
  searchSessions: { query: '?name=x' },
  sessionEvents: { query: '?follow=false' },
  runEvents: { query: '?follow=false' },
  schedulerSessionEvents: { query: '?follow=false' },
  webRunEvents: { query: '?follow=false' },
  // What whoever may ask has.
  createToken: { body: { name: 'any', scopes: ['account'] } },
  // Tickets are for browsers, and these are tokens.
  createTicket: { status: 403 },
  // Agents do not run here, so there is no host to move it to.
  moveSession: { status: 400 },
  webStartRun: { body: { session_id: ID, message: 'echo' } },
};

/** The same operation asked in another way. */
const VARIANTS: Record<string, readonly Partial<Row>[]> = {
  deleteSession: [{ query: '?archive=true' }],
  schedulerDeleteSession: [{ query: '?archive=true' }],
  sessionEvents: [{ query: '' }],
  runEvents: [{ query: '' }],
  listRuns: [{ subject: 'session', query: `?sessionId=${ID}` }],
  listApprovals: [{ subject: 'session', query: `?sessionId=${ID}` }],
  testPolicy: [{ subject: 'session', body: { tool: 'Read', channel: 'line', sessionId: ID } }],
  // Of somebody else: for admins only.
  listTokens: [{ subject: 'user', query: `?userId=${ID}` }],
  createToken: [{ subject: 'user', body: { name: 'any', scopes: ['account'], userId: ID } }],
};

/** They change nothing that somebody would ask about later. */
const UNTOLD = ['syncStatus', 'testPolicy', 'createTicket'];

/** Who stopped everything is for all to see. */
const NAMING = ['getStop'];

function rowsOf(name: string, endpoint: Endpoint): Row[] {
  const { method, path, open, needs, level, status } = endpoint;
  const body = REQUESTS[name]?.body ?? (endpoint.example as Row['body']);
  const row: Row = {
    name,
    method,
    path,
    query: REQUESTS[name]?.query ?? '',
    body,
    subject: subjectOf(path, body),
    open,
    needs,
    level,
    status: REQUESTS[name]?.status ?? status,
    audited: method !== 'GET' && !UNTOLD.includes(name),
    names: NAMING.includes(name),
  };
  const variants = VARIANTS[name] ?? [];
  return [
    row,
    ...variants.map((other, i) => ({ ...row, ...other, name: `${name} (${i + 2})` })),
    ...(method === 'GET' ? [{ ...row, name: `HEAD ${name}`, method: 'HEAD' }] : []),
  ];
}

const SUBJECTS: readonly (readonly [RegExp, Subject])[] = [
  [/\/(sessions|chat)\/\{id\}/, 'session'],
  [/\/runs\/\{id\}/, 'run'],
  [/\/approvals\/\{id\}/, 'approval'],
  [/\/tokens\/\{id\}/, 'token'],
  [/\/users\/\{id\}/, 'user'],
];

function subjectOf(path: string, body: Row['body']): Subject {
  if (Object.values(body ?? {}).includes(ID)) return 'session';
  const [, subject] = SUBJECTS.find(([pattern]) => pattern.test(path)) ?? [null, null];
  if (subject === null && path.includes('{id}')) throw new Error(`whose is the id in ${path}?`);
  return subject;
}

const beside: Omit<Row, 'name' | 'method' | 'path'> = {
  query: '',
  body: undefined,
  subject: null,
  open: false,
  needs: 'read',
  level: 'view',
  status: 200,
  audited: false,
  names: false,
};

const BESIDE: readonly Row[] = [
  // Refused to all: what it says does not depend on the session (S2).
  { ...beside, name: 'status', method: 'PUT', path: STATUS_PATH, needs: 'run', status: 403 },
  {
    ...beside,
    name: 'WebSocket',
    method: 'WS',
    path: '/ws/sessions/{id}',
    subject: 'session',
    status: 101,
  },
  { ...beside, name: 'WebSocket of hints', method: 'WS', path: '/ws/events', status: 101 },
];

/** Of pages, where it is not 200. */
const PAGE_STATUS: Record<string, number> = {
  // No file has this name.
  'GET /assets/{name}': 404,
  // A form without anything in it.
  'POST /sign-in': 400,
  // There is no sign-in behind a token, and who has none is where they wanted to be.
  'POST /sign-out': 204,
};

const PAGE_ROWS: readonly Row[] = PAGES.flatMap(({ method, path, open }) => {
  const status = PAGE_STATUS[`${method} ${path}`] ?? 200;
  const row = { ...beside, name: `${method} ${path}`, method, path, open, needs: null, status };
  return method === 'GET' ? [row, { ...row, name: `HEAD ${path}`, method: 'HEAD' }] : [row];
});

/** All rows; a GET's HEAD only where the server has one. */
export function rowsFor(app: FastifyInstance): Row[] {
  const routes = routesOf(app);
  const rows = [...endpointList.flatMap(([name, each]) => rowsOf(name, each)), ...BESIDE];
  return [...rows, ...PAGE_ROWS].filter((row) => row.method !== 'HEAD' || routes.has(routeOf(row)));
}

export const routeOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string =>
  `${method} ${path}`;

/** What the server really answers, as `METHOD /path/{id}`: read from the router's own tree. */
export function routesOf(app: FastifyInstance): Set<string> {
  const routes = new Set<string>();
  const parts: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const found = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line);
    if (found === null) continue;
    const [, indent = '', part = '', methods = ''] = found;
    parts.splice(indent.length / 4, Number.POSITIVE_INFINITY, part);
    const path = parts.join('').replaceAll(/:(\w+)/g, '{$1}');
    for (const method of methods.split(', ')) if (method !== '') routes.add(`${method} ${path}`);
  }
  return routes;
}
