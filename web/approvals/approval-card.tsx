import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Hand } from 'lucide-react';
import { useId, useRef } from 'react';
import { spellOutUnseen, spellOutUnseenInProse } from '../../src/client/spell-out-unseen.ts';
import type { Approval } from '../../src/contract/approval.ts';
import { sessionQuery } from '../api/queries.ts';
import { Ago } from '../parts/time.tsx';
import { useTexts } from '../texts/texts.ts';
import { Decide } from './decide.tsx';
import { MaskedWarning, useMaskedInput } from './masked-input.tsx';
import { Outcome } from './outcome.tsx';
import { useLatest, useMayAnswer } from './queries.ts';
import { whyOf } from './reason.ts';
import { parseToolCall } from './tool-call.ts';
import { ToolView } from './tool-view.tsx';

interface Props {
  readonly approval: Approval;
  /** Shown inside its session, so the session is not named. */
  readonly compact?: boolean;
}

/**
 * An agent's question: what will happen, where, why it needs approval, and the possible answers.
 */
export function ApprovalCard({ approval: given, compact = false }: Props) {
  const t = useTexts();
  const approval = useLatest(given);
  const mayAnswer = useMayAnswer(approval);
  const card = useRef<HTMLElement>(null);
  const title = useId();
  const isOpen = approval.state === 'pending';
  const shown = useMaskedInput(approval);
  const call = parseToolCall(approval, shown.input);
  const isQuestion = call.is === 'questions';
  const wants =
    call.is === 'other'
      ? t.approvals.wantsTool(spellOutUnseen(approval.tool))
      : t.approvals.wants[call.is];
  return (
    <article
      ref={card}
      aria-labelledby={title}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its shortcut keys need the focus
      tabIndex={0}
      data-approval={approval.state}
      id={`approval-${approval.id}`}
      className={`rounded border bg-panel p-4 max-md:p-3 ${isOpen ? 'border-warn' : 'border-edge'}`}
    >
      <header className="mb-2 flex items-center gap-2">
        {isOpen && <Hand size={16} className="shrink-0 text-warn" aria-hidden />}
        <h3 id={title} className="grow font-semibold">
          {isOpen ? wants : t.approvals.did[call.is]}
        </h3>
        <Ago at={approval.createdAt} className="shrink-0 text-dense text-soft" />
      </header>
      {(!isQuestion || !isOpen || !mayAnswer) && (
        <ToolView approval={approval} input={shown.input} />
      )}
      {!isQuestion && (
        <div className="mt-2 empty:hidden">
          <MaskedWarning approval={approval} of={shown} mayShow={mayAnswer} />
        </div>
      )}
      <About approval={approval} compact={compact} />
      {!isOpen && <Outcome approval={approval} />}
      {isOpen && mayAnswer && (
        <Decide
          approval={approval}
          input={shown.input}
          call={call}
          isMasked={!isQuestion && shown.isMasked}
          card={card}
        />
      )}
      {isOpen && !mayAnswer && <p className="text-dense text-soft">{t.approvals.viewOnly}</p>}
    </article>
  );
}

function About({ approval, compact }: { approval: Approval; compact: boolean }) {
  const t = useTexts();
  const { data: session } = useQuery(sessionQuery(approval.sessionId));
  const { state, kind, reason, tool, sessionRule } = approval;
  // Questions to the user need no explanation.
  const isOpenCall = state === 'pending' && kind === 'tool';
  const why = isOpenCall ? whyOf(spellOutUnseen(reason), t.approvals.why, t.common.channels) : null;
  if (compact && !isOpenCall) return <div className="mb-3" />;
  return (
    <dl className="my-3 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-dense max-md:grid-cols-1 max-md:[&>dd]:mb-1">
      {!compact && session !== undefined && (
        <>
          <dt className="text-soft">{t.approvals.where}</dt>
          <dd>
            <Link
              to="/s/$id"
              params={{ id: session.id }}
              className="underline decoration-edge underline-offset-3 hover:decoration-current"
            >
              {spellOutUnseenInProse(session.name)}
            </Link>{' '}
            <span className="font-mono text-xs text-soft">
              {spellOutUnseen(session.workspace.path ?? '')}
            </span>
          </dd>
        </>
      )}
      {why !== null && (
        <>
          <dt className="text-soft">{t.approvals.whyAsked}</dt>
          <dd>{why}</dd>
        </>
      )}
      {isOpenCall && (
        <>
          <dt className="text-soft">{t.approvals.allowSession}</dt>
          <dd>
            {sessionRule === null ? (
              t.approvals.noRule
            ) : (
              <>
                <code className="font-mono text-xs">{spellOutUnseen(sessionRule)}</code>
                {/* The rule may cover more than this call. */}
                {sessionRule === tool && ` ${t.approvals.anyInput}`}
              </>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}
