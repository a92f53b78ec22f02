import { BatonError } from '../contract/errors.ts';
import { MAX_ATTEMPTS_MAX } from '../contract/run.ts';
import { RunType } from '../contract/values/ids.ts';
import type { Json } from '../contract/values/json.ts';
import { maxAttemptsOf, RETRY_POLICY, type RetryPolicy } from '../policy/retry.ts';
import type { AnyEvents, AttemptContext } from './worker/attempt-context.ts';

/** Any schema that implements Standard Schema, such as those of zod, valibot and arktype. */
export interface PayloadSchema<Payload> {
  readonly '~standard': {
    readonly validate: (value: unknown) => SchemaResult<Payload> | Promise<SchemaResult<Payload>>;
  };
}

type SchemaResult<Payload> =
  | { readonly value: Payload; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * Returns JSON (undefined becomes null), or the value of `fail`, `park`, `handBack` or
 * `leaveWaiting`.
 */
export type Handler<Payload, Events extends object = AnyEvents> = (
  payload: Payload,
  context: AttemptContext<Events>,
) => unknown;

export interface HandlerDefinition<Payload = Json, Events extends object = AnyEvents> {
  /**
   * Validated when a run is enqueued and again when it executes. Without a schema, any JSON is
   * valid.
   */
  readonly payload?: PayloadSchema<Payload>;
  /** If omitted, runs of this type can be enqueued here but are executed elsewhere. */
  readonly run?: Handler<Payload, Events>;
  readonly maxAttempts?: number;
  readonly retry?: RetryPolicy;
}

export interface RegisteredType {
  readonly type: string;
  readonly maxAttempts: number;
  readonly retry: RetryPolicy;
  readonly run: Handler<unknown> | null;
  /** Returns the payload for the handler. Throws `invalid_payload`, naming the field. */
  parse(payload: Json): unknown;
}

/** The types of runs this process knows (Q17). */
export class Handlers {
  readonly #types = new Map<string, RegisteredType>();

  register<Payload, Events extends object>(
    type: string,
    definition: HandlerDefinition<Payload, Events>,
  ): void {
    const name = RunType.safeParse(type);
    if (!name.success) throw new BatonError('invalid_request', name.error.issues[0]?.message);
    if (this.#types.has(type)) {
      throw new BatonError('invalid_request', `The type "${type}" is already registered.`);
    }
    const maxAttempts = definition.maxAttempts ?? maxAttemptsOf(type);
    if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > MAX_ATTEMPTS_MAX) {
      throw new BatonError(
        'invalid_request',
        `maxAttempts: must be between 1 and ${MAX_ATTEMPTS_MAX}`,
      );
    }
    const schema = definition.payload;
    this.#types.set(type, {
      type,
      maxAttempts,
      retry: definition.retry ?? RETRY_POLICY,
      run: (definition.run as Handler<unknown> | undefined) ?? null,
      parse:
        schema === undefined ? (payload) => payload : (payload) => parse(type, schema, payload),
    });
  }

  /** Throws `unknown_type`. */
  get(type: string): RegisteredType {
    const registered = this.#types.get(type);
    if (registered === undefined) {
      throw new BatonError('unknown_type', `No handler is registered for the type "${type}".`, {
        details: { field: 'type' },
      });
    }
    return registered;
  }

  /** The types that are executed here. */
  executable(): string[] {
    return [...this.#types.values()].filter((type) => type.run !== null).map(({ type }) => type);
  }
}

function parse<Payload>(type: string, schema: PayloadSchema<Payload>, payload: Json): Payload {
  const result = schema['~standard'].validate(payload);
  if (result instanceof Promise) {
    // The result is ignored, but must not cause an unhandled rejection.
    result.catch(() => {});
    throw new BatonError('internal', `The schema of the type "${type}" is asynchronous.`);
  }
  if (result.issues === undefined) return result.value;
  const issue = result.issues[0];
  const field = ['payload', ...(issue?.path ?? []).map(keyOf)].join('.');
  throw new BatonError(
    'invalid_payload',
    `${field}: ${issue?.message ?? 'does not match the schema'}`,
    {
      details: { field },
    },
  );
}

const keyOf = (step: PropertyKey | { readonly key: PropertyKey }): string =>
  String(typeof step === 'object' ? step.key : step);
