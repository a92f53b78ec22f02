import { Ban, CircleCheck, Hand, Lock, type LucideIcon } from 'lucide-react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import type { Decision, ScopeRules } from '../../src/contract/policy.ts';
import { useTexts } from '../texts/texts.ts';
import { DECISIONS, isEmpty } from './rules.ts';

export const STYLES: Record<Decision, readonly [icon: LucideIcon, ink: string]> = {
  allow: [CircleCheck, 'text-good'],
  ask: [Hand, 'text-warn'],
  deny: [Ban, 'text-bad'],
};

export function DecisionName({ decision }: { decision: Decision }) {
  const t = useTexts();
  const [Icon, ink] = STYLES[decision];
  return (
    <span className={`inline-flex items-center gap-1 font-medium ${ink}`}>
      <Icon size={14} aria-hidden />
      {t.settings.decisions[decision]}
    </span>
  );
}

export function EnforcedName() {
  const t = useTexts();
  return (
    <span className="inline-flex items-center gap-1 font-medium">
      <Lock size={14} aria-hidden />
      {t.settings.enforced}
    </span>
  );
}

/** The rules of a scope, read-only. */
export function RuleLists({ rules, none }: { rules: ScopeRules; none: string }) {
  const t = useTexts();
  if (isEmpty(rules)) return <p className="text-dense text-soft">{none}</p>;
  return (
    <dl className="flex flex-col gap-1.5">
      {DECISIONS.map((decision) =>
        rules[decision].length === 0 ? null : (
          <div key={decision} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
            <dt className="min-w-20 text-dense">
              <DecisionName decision={decision} />
            </dt>
            <dd className="flex min-w-0 flex-1 flex-wrap gap-1">
              {rules[decision].map((rule) => (
                <code key={rule} className="rounded bg-raised px-1.5 font-mono text-dense">
                  {spellOutUnseen(rule)}
                  {decision !== 'allow' && rules.enforced?.includes(rule) && (
                    <Lock
                      size={12}
                      role="img"
                      aria-label={t.settings.enforced}
                      className="ml-1 inline align-[-1px] text-soft"
                    />
                  )}
                </code>
              ))}
            </dd>
          </div>
        ),
      )}
    </dl>
  );
}
