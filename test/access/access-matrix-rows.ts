import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Right } from '../../src/contract/access.ts';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpointList } from '../../src/contract/api/endpoints.ts';
import type { Level } from '../../src/contract/level.ts';
import { STATUS_PATH } from '../../src/server/routes/session-status.ts';
import { PAGES } from '../../src/server/sign-in/pages.ts';

/*
 * Every request that the server accepts, made from the contract; routes outside it are listed here.
 */

/**
 * The kind of thing a request is about, whose owner matters: one that this test knows how to make,
 * or a noun that belongs to the user who made it.
 */
export type Subject = 'session' | 'run' | 'approval' | 'user' | { readonly noun: string } | null;

export interface Row {
  readonly name: string;
  readonly method: string;
  /** With `{name}` for parameters. */
  readonly path: string;
  /** The query after the path. */
  readonly query: string;
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly subject: Subject;
  readonly open: boolean;
  /** Null: any valid credential suffices. */
  readonly needs: Right | null;
  /** It streams a log. */
  readonly reads: boolean;
  readonly level: Level;
  /** The status of a request that is allowed. */
  readonly status: number;
  /** Whether an allowed request leaves a line in the audit log. */
  readonly audited: boolean;
  /** The response shows another user's name to everyone. */
  readonly names: boolean;
}

/** Where the subject's id is not `{id}` in the path. */
export const ID = '<id>';

/** What the contract's examples do not say. */
const REQUESTS: Record<
  string,
  { readonly query?: string; readonly body?: Row['body']; readonly status?: number }
> = {
  searchSessions: { query: '?name=x' },
  sessionEvents: { query: '?follow=false' },
  runEvents: { query: '?follow=false' },
  schedulerSessionEvents: { query: '?follow=false' },
  webRunEvents: { query: '?follow=false' },
  // A right that everyone who may ask has.
  createToken: { body: { name: 'any', scopes: ['account'] } },
  // Tickets are for browsers, and these actors use tokens.
  createTicket: { status: 403 },
  // Agents do not run here, so there is no host to move it to.
  moveSession: { status: 400 },
};

/** Other ways to request the same operation. */
const VARIANTS: Record<string, readonly Partial<Row>[]> = {
  deleteSession: [{ query: '?archive=true' }],
  schedulerDeleteSession: [{ query: '?archive=true' }],
  sessionEvents: [{ query: '' }],
  runEvents: [{ query: '' }],
  listRuns: [{ subject: 'session', query: `?sessionId=${ID}` }],
  listApprovals: [{ subject: 'session', query: `?sessionId=${ID}` }],
  testPolicy: [{ subject: 'session', body: { tool: 'Read', channel: 'line', sessionId: ID } }],
  // For another user: admins only.
  listTokens: [{ subject: 'user', query: `?userId=${ID}` }],
  createToken: [{ subject: 'user', body: { name: 'any', scopes: ['account'], userId: ID } }],
};

/** Requests that change nothing worth auditing. */
const UNAUDITED = ['syncStatus', 'testPolicy', 'createTicket'];

/** Everyone may see who stopped everything. */
const NAMING = ['getStop'];

function rowsOf(name: string, endpoint: Endpoint): Row[] {
  const { method, path, open, needs, level, status } = endpoint;
  const body = bodyOf(name, endpoint);
  const row: Row = {
    name,
    method,
    path,
    query: REQUESTS[name]?.query ?? '',
    body,
    subject: subjectOf(path, body),
    open,
    needs,
    reads: endpoint.reads,
    level,
    status: REQUESTS[name]?.status ?? status,
    audited: method !== 'GET' && !UNAUDITED.includes(name),
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
  [/\/users\/\{id\}/, 'user'],
];

function subjectOf(path: string, body: Row['body']): Subject {
  if (Object.values(body ?? {}).includes(ID)) return 'session';
  const [, subject] = SUBJECTS.find(([pattern]) => pattern.test(path)) ?? [null, null];
  if (subject !== null || !path.includes('{id}')) return subject;
  const noun = /\/(\w+)\/\{id\}/.exec(path)?.[1] ?? '';
  if (creationOf(noun) === undefined) throw new Error(`whose is the id in ${path}?`);
  return { noun };
}

/** How to create one of these: the body of the request, and its schema. */
export function creationOf(noun: string): { body: Row['body']; schema: z.ZodType } | undefined {
  const path = `/api/v1/${noun}`;
  const creation = endpointList.find(([, each]) => each.method === 'POST' && each.path === path);
  if (creation === undefined) return undefined;
  const [name, endpoint] = creation;
  return { body: bodyOf(name, endpoint), schema: endpoint.body };
}

/** As in the contract's example, but about any session. */
function bodyOf(name: string, { example }: Endpoint): Row['body'] {
  const body = REQUESTS[name]?.body ?? (example as Row['body']);
  if (body === undefined) return undefined;
  const fields = Object.entries(body);
  return Object.fromEntries(fields.map(([key, is]) => [key, SESSION_ID.test(key) ? ID : is]));
}

const SESSION_ID = /^session_?id$/i;

const beside: Omit<Row, 'name' | 'method' | 'path'> = {
  query: '',
  body: undefined,
  subject: null,
  open: false,
  needs: 'read',
  reads: false,
  level: 'view',
  status: 200,
  audited: false,
  names: false,
};

const BESIDE: readonly Row[] = [
  // Refused to everyone: the response does not depend on the session (S2).
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

/** The statuses of pages, where not 200. */
const PAGE_STATUS: Record<string, number> = {
  // No file has this name.
  'GET /assets/{name}': 404,
  // An empty form.
  'POST /sign-in': 400,
  // A token has no sign-in to end, so there is nothing to do.
  'POST /sign-out': 204,
};

const PAGE_ROWS: readonly Row[] = PAGES.flatMap(({ method, path, open }) => {
  const status = PAGE_STATUS[`${method} ${path}`] ?? 200;
  const row = { ...beside, name: `${method} ${path}`, method, path, open, needs: null, status };
  return method === 'GET' ? [row, { ...row, name: `HEAD ${path}`, method: 'HEAD' }] : [row];
});

/** All rows, including HEAD where the server has it. */
export function rowsFor(app: FastifyInstance): Row[] {
  const routes = routesOf(app);
  const rows = [...endpointList.flatMap(([name, each]) => rowsOf(name, each)), ...BESIDE];
  return [...rows, ...PAGE_ROWS].filter((row) => row.method !== 'HEAD' || routes.has(routeOf(row)));
}

export const routeOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string =>
  `${method} ${path}`;

/** The routes that the server really has, as `METHOD /path/{id}`, read from the router's tree. */
export function routesOf(app: FastifyInstance): Set<string> {
  const routes = new Set<string>();
  const parts: string[] = [];
  for (const line of app.printRoutes({ commonPrefix: false }).split('\n')) {
    const match = /^((?:│ {3}| {4})*)[├└]── (\S*)(?: \((.*)\))?$/.exec(line);
    if (match === null) continue;
    const [, indent = '', part = '', methods = ''] = match;
    parts.splice(indent.length / 4, Number.POSITIVE_INFINITY, part);
    const path = parts.join('').replaceAll(/:(\w+)/g, '{$1}');
    for (const method of methods.split(', ')) if (method !== '') routes.add(`${method} ${path}`);
  }
  return routes;
}
