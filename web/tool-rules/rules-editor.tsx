import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Decision, ScopeRules } from '../../src/contract/policy.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { fieldOf, problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';
import { ChangedNotice } from './changed-notice.tsx';
import { changesOf, withChanges } from './changes.ts';
import { EnforcedChoice } from './enforced-choice.tsx';
import { badRule, DECISIONS, ruleAt, toList, toText, withEnforced } from './rules.ts';

interface RulesEditorProps {
  readonly rules: ScopeRules;
  /** Reads the current rules from the server. */
  readonly read: () => Promise<ScopeRules>;
  readonly save: (rules: ScopeRules) => Promise<unknown>;
  readonly onDone: () => void;
}

/** Three lists, one rule per line. */
export function RulesEditor({ rules, read, save, onDone }: RulesEditorProps) {
  const t = useTexts();
  const [texts, setTexts] = useState(() => toTexts(rules));
  // The version this edit is based on.
  const [base, setBase] = useState(rules);
  const [newer, setNewer] = useState(rules);
  const [wasTried, setWasTried] = useState(false);
  const [enforced, setEnforced] = useState(rules.enforced);
  const wanted = withEnforced(
    { allow: toList(texts.allow), ask: toList(texts.ask), deny: toList(texts.deny) },
    enforced,
  );
  const changes = changesOf(base, newer);
  const { mutate, error, isPending } = useMutation({
    mutationFn: async (over: ScopeRules) => {
      const now = await read();
      setNewer(now);
      if (changesOf(over, now) !== null) return false;
      await save(wanted);
      return true;
    },
    onSuccess: (isSaved) => isSaved && onDone(),
  });
  const refused = error === null ? null : ruleAt(wanted, fieldOf(error) ?? '');
  const wrongIn = (decision: Decision): string | undefined => {
    const bad = wasTried ? badRule(texts[decision]) : null;
    if (bad !== null) return t.settings.noRule(bad);
    return refused?.list === decision ? t.settings.noRule(refused.rule) : undefined;
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setWasTried(true);
        if (DECISIONS.every((each) => badRule(texts[each]) === null)) mutate(base);
      }}
    >
      <div className="grid gap-x-4 md:grid-cols-3">
        {DECISIONS.map((decision) => (
          <Field
            key={decision}
            label={t.settings.decisions[decision]}
            hint={t.settings.oneRulePerLine}
            error={wrongIn(decision)}
          >
            {(props) => (
              <textarea
                {...props}
                rows={5}
                spellCheck={false}
                className={`${props.className} font-mono text-dense`}
                value={texts[decision]}
                onChange={({ target }) => setTexts({ ...texts, [decision]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
      {enforced !== undefined && (
        <EnforcedChoice rules={wanted} enforced={enforced} onChange={setEnforced} />
      )}
      {error !== null && refused === null && (
        <div className="mb-3">
          <Notice tone="bad" title={problemOf(error, t)} />
        </div>
      )}
      {changes !== null && (
        <ChangedNotice
          changes={changes}
          busy={isPending}
          onTake={() => {
            const merged = withChanges(wanted, changes);
            setTexts(toTexts(merged));
            setEnforced(merged.enforced);
            setBase(newer);
          }}
          onOverwrite={() => {
            setBase(newer);
            mutate(newer);
          }}
        />
      )}
      <div className="flex flex-wrap gap-2">
        <Button variant="primary" type="submit" disabled={isPending}>
          {t.common.save}
        </Button>
        <Button onClick={onDone}>{t.common.cancel}</Button>
      </div>
    </form>
  );
}

const toTexts = ({ allow, ask, deny }: ScopeRules): Record<Decision, string> => ({
  allow: toText(allow),
  ask: toText(ask),
  deny: toText(deny),
});
