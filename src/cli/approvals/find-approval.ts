import type { Client } from '../../client/client.ts';
import { usageError } from '../../config/user-error.ts';
import { type Approval, ApprovalId } from '../../contract/approval.ts';
import { pagesOf } from '../connection/pages.ts';

const PREFIX_MIN = 6;

type Query = NonNullable<NonNullable<Parameters<Client['listApprovals']>[0]>['query']>;

/** Newest first. */
export const approvalsOf = (client: Client, query: Query): AsyncGenerator<Approval> =>
  pagesOf((page) => client.listApprovals({ query: { ...query, ...page } }));

/** Finds an approval by id or a unique prefix of it; open questions are searched first. */
export async function findApproval(client: Client, reference: string): Promise<Approval> {
  const wanted = reference.toLowerCase();
  if (ApprovalId.safeParse(wanted).success) {
    return client.getApproval({ params: { id: wanted } });
  }
  for (const query of [{ state: 'pending' as const }, {}]) {
    const matches: Approval[] = [];
    if (wanted.length < PREFIX_MIN) break;
    for await (const approval of approvalsOf(client, query)) {
      if (approval.id.startsWith(wanted)) matches.push(approval);
      // Ids come in descending order, so no later one can match.
      else if (approval.id < wanted) break;
    }
    const [only, other] = matches;
    if (only !== undefined && other !== undefined) {
      throw usageError({
        what: `"${reference}" matches several questions.`,
        why: `${matches.length} ids begin with it, such as ${only.id} and ${other.id}.`,
        todo: 'type more of the id.',
      });
    }
    if (only !== undefined) return only;
  }
  throw usageError({
    what: `There is no question "${reference}".`,
    why: 'no question that you can see has this id, or an id that begins with it (at least 6 characters).',
    todo: 'run "baton approve" to list open questions, "baton approve --all" to list all.',
  });
}
