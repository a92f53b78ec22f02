import { z } from 'zod';
import { AttachmentNote, AttachmentUpload } from './attachment.ts';
import { ATTACHMENTS_MAX, MESSAGE_MAX } from './limits.ts';
import { DELAY_MAX_MS } from './run.ts';
import { SessionId } from './session.ts';
import { RunId } from './values/ids.ts';
import { Json } from './values/json.ts';
import { Time } from './values/time.ts';

/** Where a message came from. The credential determines the channel, never the body. */
export const Channel = z.enum(['web', 'cli', 'api', 'line', 'webhook']);
export type Channel = z.infer<typeof Channel>;

/**
 * What decides which rules apply: the channel of a person's credential, and the channels it was
 * created through.
 */
export const Standing = z.object({
  channel: Channel,
  /**
   * Channels through which the credential was created. The enforced rules of these channels also
   * apply to the credential.
   */
  through: z.array(Channel).optional(),
});
export type Standing = z.infer<typeof Standing>;

/** The standing of a principal or of a message. */
export const standingOf = ({
  channel,
  through = [],
}: {
  readonly channel: Channel;
  readonly through?: readonly Channel[] | undefined;
}): Standing => ({ channel, ...(through.length === 0 ? {} : { through: [...through] }) });

export const MessageText = z
  .string()
  .min(1, 'a message must not be empty')
  .max(MESSAGE_MAX, `a message can have at most ${MESSAGE_MAX} characters`)
  .refine((text) => text.trim() !== '', 'a message must not be blank')
  .refine((text) => !text.includes('\0'), 'a message must not contain a NUL character')
  .refine((text) => text.isWellFormed(), 'a message must not contain half a surrogate pair');

export const MessageOnBusy = z.enum(['enqueue', 'reject', 'interrupt', 'steer']);
export const ToolRules = z.array(z.string().min(1).max(500)).max(100);

const METADATA_MAX = 16 * 1024;
/** Metadata must be short, because every list of runs reads the metadata of all its runs. */
export const isShortMetadata = (metadata: unknown): boolean =>
  JSON.stringify(metadata).length <= METADATA_MAX;
export const SHORT_METADATA = `must be at most ${METADATA_MAX} characters of JSON`;

export const MessageRequest = z.strictObject({
  message: MessageText,
  /** Files for the agent; images are shown to it. */
  attachments: z.array(AttachmentUpload).max(ATTACHMENTS_MAX).optional(),
  onBusy: MessageOnBusy.default('enqueue'),
  /** The run starts no earlier than this. */
  runAt: Time.refine(
    (time) => Date.parse(time) < Date.now() + DELAY_MAX_MS,
    'runAt is more than ten years away',
  ).optional(),
  allowedTools: ToolRules.optional(),
  disallowedTools: ToolRules.optional(),
  metadata: z.record(z.string().max(100), Json).refine(isShortMetadata, SHORT_METADATA).optional(),
});
export type MessageRequest = z.output<typeof MessageRequest>;

export const MessageReceipt = z.object({
  /** The run that the message created; for a steer, the run that the agent is working on. */
  runId: RunId,
  sessionId: SessionId,
  status: z.enum(['queued', 'steered']),
  /** How many runs are ahead of this one, including the run in progress. */
  position: z.int(),
  /** Present only if everything is stopped: the run starts after an administrator has resumed work. */
  stopped: z.literal(true).optional(),
});
export type MessageReceipt = z.infer<typeof MessageReceipt>;

/** The payload of a run of type `agent`. The message is masked; see `original`. */
export const AgentPayload = z.object({
  message: z.string(),
  ...Standing.shape,
  /** Who last wrote, edited or retried the message. */
  sender: z.string(),
  /** Masking changed the message. The original, which the agent gets, is stored encrypted (P4). */
  original: z.boolean(),
  /** Files sent with it, stored encrypted (A11). */
  attachments: z.array(AttachmentNote).optional(),
  allowedTools: ToolRules.optional(),
  disallowedTools: ToolRules.optional(),
  metadata: z.record(z.string(), Json).optional(),
});
export type AgentPayload = z.infer<typeof AgentPayload>;
