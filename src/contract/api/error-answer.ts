import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { Json } from '../values/json.ts';
import { Time } from '../values/time.ts';

/** The format of every error response (SPEC §8). */
export const ErrorAnswer = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('A message for people; its wording may change.'),
    status: z.int(),
    details: Json.optional().describe('For example `field`, the name of the invalid field.'),
  }),
  meta: z.object({ timestamp: Time, requestId: z.string() }),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;
