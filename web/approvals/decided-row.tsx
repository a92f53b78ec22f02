import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight } from 'lucide-react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import type { Approval } from '../../src/contract/approval.ts';
import { sessionQuery } from '../api/queries.ts';
import { Ago } from '../parts/time.tsx';
import { MaskedWarning, useMaskedInput } from './masked-input.tsx';
import { ICONS, Outcome, useSentence } from './outcome.tsx';
import { useMayAnswer } from './queries.ts';
import { lineOf, parseToolCall } from './tool-call.ts';
import { ToolView } from './tool-view.tsx';

/** An answered question: one line that expands. */
export function DecidedRow({ approval }: { approval: Approval }) {
  const outcome = useSentence(approval);
  const { data: session } = useQuery(sessionQuery(approval.sessionId));
  const shown = useMaskedInput(approval);
  const mayAnswer = useMayAnswer(approval);
  const { state, tool, input } = approval;
  if (state === 'pending') return null;
  const [Icon, ink] = ICONS[state];
  return (
    <details className="group">
      <summary className="flex min-h-9 list-none flex-wrap items-center gap-x-2 px-3 py-1.5 text-dense hover:bg-raised max-md:min-h-11">
        <ChevronRight size={14} className="shrink-0 text-soft group-open:rotate-90" aria-hidden />
        <Icon size={14} className={`shrink-0 ${ink}`} aria-hidden />
        <span>{outcome}</span>
        <span className="min-w-0 grow basis-40 truncate font-mono text-xs text-soft">
          {spellOutUnseen(lineOf(parseToolCall(approval, input), tool))}
        </span>
        <Ago at={approval.decidedAt ?? approval.createdAt} className="shrink-0 text-soft" />
      </summary>
      <div className="space-y-2 px-3 pt-1 pb-3">
        {session !== undefined && (
          <Link
            to="/s/$id"
            params={{ id: session.id }}
            className="text-dense underline decoration-edge underline-offset-3 hover:decoration-current"
          >
            {session.name}
          </Link>
        )}
        <ToolView approval={approval} input={shown.input} />
        <MaskedWarning approval={approval} of={shown} mayShow={mayAnswer} />
        <Outcome approval={approval} />
      </div>
    </details>
  );
}
