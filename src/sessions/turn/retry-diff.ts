import { EVENT_PAYLOAD_MAX } from '../../contract/event.ts';
import type { FileChange } from '../../contract/session-event.ts';
import { byteLength, type Json } from '../../contract/values/json.ts';
import { fitPatch } from '../../workspaces/file-changes.ts';
import type { WorkspaceDiff } from '../../workspaces/runtime.ts';

/** Masks may be longer than the secrets they replace, even in file names. */
const SPARE_BYTES = 4 * 1024;

/**
 * The payload of `run.retry_diff`: masked first, because that may lengthen it, then cut to fit an
 * event. It is checked where it is emitted.
 */
export function retryDiffOf(
  sinceAttempt: number,
  diff: WorkspaceDiff,
  maskJson: (value: Json) => Json,
) {
  const { patch, files, ...rest } = diff;
  const masked = maskJson({ files: files.map((each) => ({ ...each })), ...rest }) as {
    files: FileChange[];
    truncated: boolean;
    note?: string;
  };
  let room = EVENT_PAYLOAD_MAX - SPARE_BYTES;
  const listed = masked.files.filter((each) => {
    room -= byteLength(JSON.stringify(each)) + 1;
    return room > 0;
  });
  const fitted =
    patch === undefined ? null : fitPatch(maskJson(patch) as string, Math.max(2, room));
  return {
    ...masked,
    sinceAttempt,
    files: listed,
    ...(fitted === null ? {} : { patch: fitted.patch }),
    truncated: masked.truncated || listed.length < files.length || (fitted?.truncated ?? false),
  };
}
