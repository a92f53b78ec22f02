import type { NewsLine } from './lines.ts';

/** What is told otherwise, or is of no interest to a reader of the conversation. */
const QUIET = new Set([
  'status',
  'thinking_tokens',
  'session_title_changed',
  'session_state_changed',
  // The tool's result says it.
  'permission_denied',
  'files_persisted',
  'ui_invalidate',
  'post_turn_summary',
]);
const QUIET_FAMILIES = /^(task|hook)_/;

/** A line of type `system` in words; null if nobody needs to hear of it. */
export function noticeOf({ subtype, fields }: NewsLine): string | null {
  if (QUIET.has(subtype) || QUIET_FAMILIES.test(subtype)) return null;
  const text = (name: string): string => String(fields[name] ?? 'unknown');
  switch (subtype) {
    case 'api_retry':
      return `The model could not be reached (${text('error')}); trying again, ${text('attempt')} of ${text('max_retries')}.`;
    case 'compact_boundary':
      return 'The conversation was compacted.';
    default:
      return `${subtype}: ${JSON.stringify(fields)}`;
  }
}
