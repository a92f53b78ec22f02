import { z } from 'zod';

/** A user's access to a session: can view, can operate, or owns it. */
export const Level = z.enum(['view', 'operate', 'own']);
export type Level = z.infer<typeof Level>;
