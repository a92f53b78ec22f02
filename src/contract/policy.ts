import { z } from 'zod';
import { Channel } from './message.ts';
import { SessionId } from './session.ts';
import { Json } from './values/json.ts';

/* What agents may do (SPEC §7, P1–P3). */

export const Decision = z.enum(['allow', 'ask', 'deny']);
export type Decision = z.infer<typeof Decision>;

export const RULE_MAX = 500;
/** The maximum number of rules in one list. */
export const RULES_MAX = 200;
/**
 * `Tool` or `Tool(specifier)`, as Claude Code writes it; `mcp__server` names all tools of a server.
 */
export const ToolRule = z
  .string()
  .max(RULE_MAX, `a rule can have at most ${RULE_MAX} characters`)
  .regex(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: to refuse them
    /^(?:\*|[A-Za-z][\w.:-]*\*?)(?:\([^\u0000-\u001f\u007f]+\))?$/,
    'a rule is Tool or Tool(specifier), such as Read or Bash(git push)',
  );

/** The rules of a scope. Within a scope, deny beats ask, and ask beats allow. */
export const ToolRules = z.strictObject({
  allow: z.array(ToolRule).max(RULES_MAX).default([]),
  ask: z.array(ToolRule).max(RULES_MAX).default([]),
  deny: z.array(ToolRule).max(RULES_MAX).default([]),
});
export type ToolRules = z.output<typeof ToolRules>;

/** The rules of a channel or of the whole server. */
export const SharedRules = ToolRules.extend({
  /** The rules in `ask` and `deny` that no narrower scope can override. */
  enforced: z
    .array(ToolRule)
    .max(2 * RULES_MAX)
    .default([]),
});
export type SharedRules = z.output<typeof SharedRules>;

/** The rules of any scope; a session's rules enforce nothing. */
export interface ScopeRules extends ToolRules {
  readonly enforced?: string[];
}

/**
 * The scopes, in the order in which they are checked. The first scope with a matching rule decides.
 */
export const PolicyScope = z.enum(['message', 'session', 'channel', 'global', 'default']);
export type PolicyScope = z.infer<typeof PolicyScope>;

/** The decision about a tool call, and why. */
export const Verdict = z.object({
  decision: Decision,
  scope: PolicyScope,
  /** The rule that decided, or null if none did. */
  rule: z.string().nullable(),
  /** No narrower scope can override the verdict. */
  enforced: z.boolean().optional(),
  /** For people. */
  reason: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;

const TEST_INPUT_MAX = 64 * 1024;

export const TestPolicy = z.strictObject({
  tool: z.string().min(1).max(200),
  // The size is limited because a decision takes time proportional to it, and every viewer may
  // request a decision.
  input: Json.optional().refine(
    (input) => JSON.stringify(input ?? null).length <= TEST_INPUT_MAX,
    `must be at most ${TEST_INPUT_MAX} characters of JSON`,
  ),
  channel: Channel,
  sessionId: SessionId.optional(),
});
export type TestPolicy = z.output<typeof TestPolicy>;
