import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { type Approval, ApprovalId } from '../../contract/approval.ts';
import { pagesOf } from '../connection/pages.ts';

const PREFIX_MIN = 6;

type Query = NonNullable<NonNullable<Parameters<Client['listApprovals']>[0]>['query']>;

/** Newest first. */
export const approvalsOf = (client: Client, query: Query): AsyncGenerator<Approval> =>
  pagesOf((page) => client.listApprovals({ query: { ...query, ...page } }));

/** By id, or by the beginning of it if one begins so; those that are open come first. */
export async function findApproval(client: Client, reference: string): Promise<Approval> {
  const wanted = reference.toLowerCase();
  if (ApprovalId.safeParse(wanted).success) {
    return client.getApproval({ params: { id: wanted } });
  }
  for (const query of [{ state: 'pending' as const }, {}]) {
    const found: Approval[] = [];
    if (wanted.length < PREFIX_MIN) break;
    for await (const approval of approvalsOf(client, query)) {
      if (approval.id.startsWith(wanted)) found.push(approval);
      // Ids fall from page to page, so nothing more can begin so.
      else if (approval.id < wanted) break;
    }
    const [only, other] = found;
    if (only !== undefined && other !== undefined) {
      throw usageError({
        what: `"${reference}" is not one question.`,
        why: `${found.length} ids begin so, such as ${only.id} and ${other.id}.`,
        todo: 'write more of the id.',
      });
    }
    if (only !== undefined) return only;
  }
  throw usageError({
    what: `There is no question "${reference}".`,
    why: 'none that you may see has this id, or one that begins so (with at least 6 characters).',
    todo: 'see "baton approve" for those that are open, "baton approve --all" for all.',
  });
}
