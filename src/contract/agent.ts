import { z } from 'zod';
import { AgentKind } from './session.ts';

/** Why an agent cannot run. */
export const AgentProblem = z.enum([
  'not_installed',
  'does_not_run',
  'too_old',
  'signed_out',
  /** The server has a key for it, but the key is not among the variables that agents may see. */
  'key_hidden',
]);
export type AgentProblem = z.infer<typeof AgentProblem>;

/** An agent that sessions can use. */
export const AgentView = z.object({
  kind: AgentKind,
  /** Whether it can run, as far as the server can check locally; null if agents run elsewhere. */
  ready: z.boolean().nullable(),
  version: z.string().nullable(),
  problem: AgentProblem.nullable(),
  /** A human-readable explanation of how to fix the problem. */
  fix: z.string().nullable(),
});
export type AgentView = z.infer<typeof AgentView>;
