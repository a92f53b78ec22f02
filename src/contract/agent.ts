import { z } from 'zod';
import { AgentKind } from './session.ts';

/** What keeps an agent from working. */
export const AgentProblem = z.enum([
  'not_installed',
  'does_not_run',
  'too_old',
  'signed_out',
  /** There is a key for it, but it is not among the variables that agents see. */
  'key_hidden',
]);
export type AgentProblem = z.infer<typeof AgentProblem>;

/** An agent that sessions can have. */
export const AgentView = z.object({
  kind: AgentKind,
  /** Whether it can work, as far as can be told without asking anybody; null if agents run elsewhere. */
  ready: z.boolean().nullable(),
  version: z.string().nullable(),
  problem: AgentProblem.nullable(),
  /** How to mend it, for people. */
  fix: z.string().nullable(),
});
export type AgentView = z.infer<typeof AgentView>;
