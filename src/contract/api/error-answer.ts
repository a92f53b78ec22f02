import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../errors.ts';
import { Json } from '../json.ts';
import { Time } from '../time.ts';

/** The one shape of an error (SPEC §8). */
export const ErrorAnswer = z.object({
  error: z.object({
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
    message: z.string().describe('For people; it may change.'),
    status: z.int(),
    details: Json.optional().describe('For example `field`, the name of the invalid field.'),
  }),
  meta: z.object({ timestamp: Time, requestId: z.string() }),
});
export type ErrorAnswer = z.infer<typeof ErrorAnswer>;
