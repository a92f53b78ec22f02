import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import type { ScopeRules } from '../../src/contract/policy.ts';
import { useTexts } from '../texts/texts.ts';
import { DecisionName } from './rule-lists.tsx';
import { enforceable } from './rules.ts';

interface Props {
  readonly rules: ScopeRules;
  readonly enforced: readonly string[];
  readonly onChange: (enforced: string[]) => void;
}

/** Selects the Ask and Deny rules that no narrower scope can override. */
export function EnforcedChoice({ rules, enforced, onChange }: Props) {
  const t = useTexts();
  const all = enforceable(rules);
  return (
    <fieldset className="mb-4">
      <legend className="mb-1 font-medium">{t.settings.enforced}</legend>
      <p className="mb-1 text-dense text-soft">
        {all.length === 0 ? t.settings.nothingToEnforce : t.settings.enforcedHelp}
      </p>
      {all.map((rule) => (
        <label
          key={rule}
          className="flex min-h-8 cursor-pointer flex-wrap items-center gap-x-2 max-md:min-h-11"
        >
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={enforced.includes(rule)}
            onChange={({ target }) =>
              onChange(
                target.checked ? [...enforced, rule] : enforced.filter((each) => each !== rule),
              )
            }
          />
          <DecisionName decision={rules.deny.includes(rule) ? 'deny' : 'ask'} />
          <code className="min-w-0 break-words font-mono text-dense">{spellOutUnseen(rule)}</code>
        </label>
      ))}
    </fieldset>
  );
}
