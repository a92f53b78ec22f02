/*
 * What each kind of agent can do. Everything that differs between agents outside their drivers is
 * decided here, in the server and in the page, so that a new one needs a row and not a search for
 * names. Without zod, which a page loads only with its forms.
 */

export interface Capabilities {
  /**
   * What a message is: a prompt, and each call that the agent makes for it is judged (A7), or a
   * command, which is itself the only call (P3) and is shown as it is written.
   */
  readonly message: 'prompt' | 'command';
  /** Takes messages while it works (Q11). */
  readonly steers: boolean;
  /** Later runs resume its conversation, which two processes must never do at once (A3). */
  readonly resumes: boolean;
  /** Costs money and reports how much (A5), so budgets apply (A6). */
  readonly spends: boolean;
  /** Its model can be chosen. */
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

/** Names that the API knows and that have no driver yet. */
export const RESERVED_KINDS = ['acp'] as const;

/** Nothing is assumed of an agent that this version has no driver for, or that the page is too old to know. */
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
