import { z } from 'zod';

/** Artefacts are truncated to this size. */
export const ARTEFACT_BYTES = 50 * 1024 * 1024;

/** A file name that is valid on every system. */
export const ArtefactName = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,150}\.txt$/, 'is not the name of an artefact');

/** The full text of a truncated event, stored outside the log (E5). */
export const Artefact = z.object({
  /** For `GET /api/v1/sessions/{id}/artefacts/{name}`. */
  name: ArtefactName,
  bytes: z.int(),
});
export type Artefact = z.infer<typeof Artefact>;
