import { z } from 'zod';

/** Longer ones are cut there, too. */
export const ARTEFACT_BYTES = 50 * 1024 * 1024;

/** One component of a path on every system. */
export const ArtefactName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,150}\.txt$/, 'is not the name of an artefact');

/** What an event has only the beginning of, kept whole beside the log (E5). */
export const Artefact = z.object({
  /** For `GET /api/v1/sessions/{id}/artefacts/{name}`. */
  name: ArtefactName,
  bytes: z.int(),
});
export type Artefact = z.infer<typeof Artefact>;
