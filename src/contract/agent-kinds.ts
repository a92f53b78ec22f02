/*
 * What each kind of agent can do. Outside the drivers, everything that differs between agents is
 * decided by this table, both in the server and in the web app, so a new kind needs a row here
 * rather than a search for names. This file does not import zod, because pages load zod only
 * together with their forms.
 */

export interface Capabilities {
  /**
   * What a message is. For a prompt, each call that the agent makes is judged (A7). A command is
   * the only call of its run (P3), and is shown literally.
   */
  readonly message: 'prompt' | 'command';
  /** Accepts messages while it works (Q11). */
  readonly steers: boolean;
  /** Later runs resume its conversation, which two processes must never do at once (A3). */
  readonly resumes: boolean;
  /** Costs money and reports how much (A5), so budgets apply (A6). */
  readonly spends: boolean;
  /** Lets people choose the model. */
  readonly models: boolean;
}

/** The agents that have a driver, in the order in which they are offered. */
export const CAPABILITIES = {
  claude: { message: 'prompt', steers: true, resumes: true, spends: true, models: true },
  shell: { message: 'command', steers: false, resumes: false, spends: false, models: false },
} as const satisfies Record<string, Capabilities>;

/** A kind of agent that has a driver. */
export type DrivenKind = keyof typeof CAPABILITIES;
export const DRIVEN_KINDS = Object.keys(CAPABILITIES) as [DrivenKind, ...DrivenKind[]];
export const isDriven = (kind: string): kind is DrivenKind => Object.hasOwn(CAPABILITIES, kind);
export const DEFAULT_KIND: DrivenKind = 'claude';

/** Kinds that the API accepts but that have no driver yet. */
export const RESERVED_KINDS = ['acp'] as const;

/**
 * The safest assumptions, for an agent that has no driver in this version or is newer than the
 * page.
 */
const UNKNOWN: Capabilities = {
  message: 'prompt',
  steers: false,
  resumes: true,
  spends: true,
  models: false,
};

export const capabilitiesOf = (kind: string): Capabilities =>
  isDriven(kind) ? CAPABILITIES[kind] : UNKNOWN;

export const takesCommands = (agent: { readonly kind: string }): boolean =>
  capabilitiesOf(agent.kind).message === 'command';
