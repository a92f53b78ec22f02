import type { z } from 'zod';
import { BatonError } from '../contract/errors.ts';

/** Parses a caller's input; the error names the field, prefixed with `at`. */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  at = '',
): z.output<Schema> {
  const result = tryParse(schema, input);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const path = [...(issue?.path ?? []), ...unknown].map(String).join('.');
  const field = `${at}${path}`;
  const message = issue?.message ?? 'does not match the schema';
  throw new BatonError('invalid_request', field === '' ? message : `${field}: ${message}`, {
    details: { field },
  });
}

function tryParse<Schema extends z.ZodType>(schema: Schema, input: unknown) {
  try {
    return schema.safeParse(input);
  } catch (error) {
    // The value is nested deeper than the stack allows.
    if (error instanceof RangeError) {
      throw new BatonError('invalid_request', 'The value is nested too deeply.', { cause: error });
    }
    throw error;
  }
}
