import { z } from 'zod';

/** What a session is to somebody: shared to look at, shared to work in, or their own. */
export const Level = z.enum(['view', 'operate', 'own']);
export type Level = z.infer<typeof Level>;
