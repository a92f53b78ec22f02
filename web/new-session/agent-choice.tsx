import { useQuery } from '@tanstack/react-query';
import { CircleAlert, CircleCheck } from 'lucide-react';
import type { AgentProblem, AgentView } from '../../src/contract/agent.ts';
import { DRIVEN_KINDS, type DrivenKind } from '../../src/contract/agent-kinds.ts';
import { useTexts } from '../texts/texts.ts';
import { agentsQuery } from './queries.ts';

interface Props {
  readonly kind: DrivenKind;
  readonly onChange: (kind: DrivenKind) => void;
}

/** Chooses the agent; problems are shown with their fix. */
export function AgentChoice({ kind, onChange }: Props) {
  const t = useTexts();
  const { data } = useQuery(agentsQuery);
  const chosen = data?.find((each) => each.kind === kind);
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 font-medium">{t.newSession.agent}</legend>
      <div className="grid gap-2 md:grid-cols-2">
        {DRIVEN_KINDS.map((each) => (
          <label
            key={each}
            className="flex cursor-pointer gap-2.5 rounded border border-line px-3 py-2 hover:bg-raised has-checked:border-accent has-checked:bg-accent-soft max-md:min-h-11"
          >
            <input
              type="radio"
              name="agent"
              value={each}
              checked={kind === each}
              onChange={() => onChange(each)}
              className="mt-1 self-start accent-accent"
            />
            <span className="min-w-0">
              <span className="font-medium">{t.agents[each].name}</span>
              <span className="block text-dense text-soft max-md:hidden">
                {t.agents[each].about}
              </span>
              <State agent={data?.find((agent) => agent.kind === each)} />
            </span>
          </label>
        ))}
      </div>
      {chosen?.ready === false && chosen.problem !== null && (
        <div className="mt-2 text-dense" role="status">
          <Fix kind={kind} problem={chosen.problem} fix={chosen.fix} />
        </div>
      )}
    </fieldset>
  );
}

interface FixProps {
  readonly kind: DrivenKind;
  readonly problem: AgentProblem;
  readonly fix: string | null;
}

function Fix({ kind, problem, fix }: FixProps) {
  const t = useTexts();
  const { signIn } = t.agents[kind];
  if (problem === 'signed_out' && signIn !== undefined) return <p>{signIn}</p>;
  return (
    <>
      <p>{t.newSession.fixes[problem]}</p>
      {fix !== null && <p className="mt-0.5 font-mono text-soft">{fix}</p>}
    </>
  );
}

function State({ agent }: { agent: AgentView | undefined }) {
  const t = useTexts();
  const line = 'mt-1 flex items-center gap-1 text-dense';
  if (agent === undefined) {
    return <span className={`${line} text-soft`}>{t.newSession.checking}</span>;
  }
  if (agent.ready === null) {
    return <span className={`${line} text-soft`}>{t.newSession.readyElsewhere}</span>;
  }
  if (agent.ready) {
    return (
      <span className={`${line} text-good`}>
        <CircleCheck size={14} className="shrink-0" aria-hidden />
        {agent.version === null ? t.newSession.ready : t.newSession.readyVersion(agent.version)}
      </span>
    );
  }
  return (
    <span className={`${line} text-warn`}>
      <CircleAlert size={14} className="shrink-0" aria-hidden />
      {t.newSession.notReady} {agent.problem !== null && t.newSession.problem[agent.problem]}
    </span>
  );
}
