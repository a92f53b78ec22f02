import type { NewsLine } from './lines.ts';

/** Lines that other events already cover, or that no reader needs. */
const QUIET = new Set([
  'status',
  'thinking_tokens',
  'session_title_changed',
  'session_state_changed',
  // The tool's result already shows the denial.
  'permission_denied',
  'files_persisted',
  'ui_invalidate',
  'post_turn_summary',
]);
const QUIET_FAMILIES = /^(task|hook)_/;

/** Describes a line of type `system`; null if it is not worth showing. */
export function noticeOf({ subtype, fields }: NewsLine): string | null {
  if (QUIET.has(subtype) || QUIET_FAMILIES.test(subtype)) return null;
  const text = (name: string): string => String(fields[name] ?? 'unknown');
  switch (subtype) {
    case 'api_retry':
      return `The model could not be reached (${text('error')}); retry ${text('attempt')} of ${text('max_retries')}.`;
    case 'compact_boundary':
      return 'The conversation was compacted.';
    default:
      return `${subtype}: ${JSON.stringify(fields)}`;
  }
}
