import { z } from 'zod';
import {
  CreateToken,
  CreateUser,
  PutShares,
  Share,
  Token,
  UpdateUser,
  User,
} from '../../contract/access.ts';
import { AgentView } from '../../contract/agent.ts';
import { SchedulerMessage, SchedulerSession } from '../../contract/api/compat-scheduler.ts';
import { WebRun } from '../../contract/api/compat-web.ts';
import { endpointList } from '../../contract/api/endpoints.ts';
import { ErrorAnswer } from '../../contract/api/error-answer.ts';
import { EventPage } from '../../contract/api/streams.ts';
import { Approval, DecideApproval } from '../../contract/approval.ts';
import { AuditEntry } from '../../contract/audit.ts';
import { MessageReceipt, MessageRequest } from '../../contract/message.ts';
import { HostView, NodeView } from '../../contract/node.ts';
import { RunError } from '../../contract/outcome.ts';
import { TestPolicy, ToolRules, Verdict } from '../../contract/policy.ts';
import { Cost, EditRun, Invocation, QueueCounts, RunView } from '../../contract/run-view.ts';
import { CreateSession, ForkSession, Session, UpdateSession } from '../../contract/session.ts';
import { SessionEvent, SessionHint } from '../../contract/session-event.ts';
import { Stats } from '../../contract/stats.ts';
import { Json } from '../../contract/values/json.ts';
import { SyncStatus, WorkspaceView } from '../../contract/workspace.ts';

/** A JSON Schema, with the keywords that this code reads. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
}

const REQUESTS = {
  Json,
  CreateSession,
  UpdateSession,
  ForkSession,
  MessageRequest,
  EditRun,
  CreateUser,
  UpdateUser,
  CreateToken,
  PutShares,
  DecideApproval,
  SetRules: ToolRules,
  TestPolicy,
  SchedulerMessage,
};
const ANSWERS = {
  Json,
  Session,
  Run: RunView,
  RunError,
  Event: SessionEvent,
  EventPage,
  SessionHint,
  MessageReceipt,
  Invocation,
  Cost,
  QueueCounts,
  Approval,
  ToolRules,
  Verdict,
  User,
  Token,
  Share,
  AuditEntry,
  Agent: AgentView,
  Host: HostView,
  Node: NodeView,
  Stats,
  Workspace: WorkspaceView,
  SyncStatus,
  SchedulerSession,
  WebRun,
  Error: ErrorAnswer,
};

const PREFIX = '#/components/schemas/';
/** Refers to a schema without a name, which may be part of other schemas. */
const OTHER_REF = /^#\/components\/schemas\/(other\d+)$/;

export interface Schemas {
  /** The named schemas. */
  readonly components: Record<string, JsonSchema>;
  request(schema: z.ZodType): JsonSchema;
  answer(schema: z.ZodType): JsonSchema;
}

/** Every schema of the API as JSON Schema; named ones are referenced, the others are inline. */
export function describeSchemas(): Schemas {
  const requests = translate('input', REQUESTS, bodies());
  const answers = translate('output', ANSWERS, results());
  return {
    components: { ...requests.named, ...answers.named },
    request: requests.of,
    answer: answers.of,
  };
}

/**
 * Describes a path or query field by the type it stands for: `limit` is a number, although it is
 * sent as text.
 */
export function describeField(schema: z.ZodType): JsonSchema {
  const read = (io: 'input' | 'output') =>
    bare(z.toJSONSchema(schema, { io, unrepresentable: 'any', override: tidy }));
  const [input, output] = [read('input'), read('output')];
  if (output.type === 'integer') return output;
  const { enum: values, ...rest } = input;
  return String(values) === 'true,false' ? { ...rest, type: 'boolean' } : input;
}

const bodies = (): z.ZodType[] => endpointList.map(([, { body }]) => body);

const results = (): z.ZodType[] =>
  endpointList.flatMap(([, { answer, item }]) => (item === undefined ? [answer] : [answer, item]));

function translate(
  io: 'input' | 'output',
  named: Record<string, z.ZodType>,
  others: readonly z.ZodType[],
) {
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]));
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  for (const [index, schema] of others.entries()) {
    const known = registry.has(schema) || schema instanceof z.ZodUndefined;
    if (!known) registry.add(schema, { id: `other${index}` });
  }
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `${PREFIX}${id}`, override });
  const read = (id: string): JsonSchema =>
    JSON.parse(JSON.stringify(bare(schemas[id])), (_, value) => {
      const other = OTHER_REF.exec(value?.$ref ?? '')?.[1];
      return other === undefined ? value : read(other);
    });
  const of = (schema: z.ZodType): JsonSchema => {
    const name = names.get(schema);
    if (name !== undefined) return { $ref: `${PREFIX}${name}` };
    return read(registry.get(schema)?.id ?? '');
  };
  return {
    of,
    named: Object.fromEntries(Object.keys(named).map((name) => [name, read(name)])),
  };

  function override(context: Overridden): void {
    tidy(context);
    // Requests are strict; responses may have more fields in later versions.
    if (io === 'output') delete context.jsonSchema.additionalProperties;
  }
}

interface Overridden {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
}

/** Removes redundant constraints: the safe-integer range, and the pattern of a known format. */
function tidy({ jsonSchema }: Overridden): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
}

/** Removes keywords that a schema inside another document must not have. */
function bare(schema: object | undefined): JsonSchema {
  const { $schema, $id, '~standard': _, ...rest } = { ...schema } as JsonSchema;
  return rest;
}
