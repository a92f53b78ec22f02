import { z } from 'zod';
import { type EndpointName, endpoints } from './endpoints.ts';

/** The operations without their schemas, as data that can be written to a file. */
export const operations = Object.fromEntries(
  Object.entries(endpoints).map(([name, { method, path, format, answer }]) => [
    name,
    { method, path, format, isEmpty: answer instanceof z.ZodUndefined },
  ]),
) as Record<
  EndpointName,
  Pick<(typeof endpoints)[EndpointName], 'method' | 'path' | 'format'> & { isEmpty: boolean }
>;
