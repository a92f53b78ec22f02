import { Pencil } from 'lucide-react';
import { useState } from 'react';
import type { ScopeRules } from '../../src/contract/policy.ts';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';
import type { RuleAccess } from './queries.ts';
import { RuleLists } from './rule-lists.tsx';
import { RulesEditor } from './rules-editor.tsx';

interface RulesCardProps {
  readonly title: string;
  readonly about: string;
  readonly rules: ScopeRules;
  /** Shown if there are no rules. */
  readonly none: string;
  /** Omitted if the user may not edit. */
  readonly edit?: RuleAccess | undefined;
}

/** The rules of a scope, with their editor if the user may edit. */
export function RulesCard({ title, about, rules, none, edit }: RulesCardProps) {
  const t = useTexts();
  const [isEditing, setIsEditing] = useState(false);
  return (
    <div className="border-b border-edge py-3 first:pt-0 last:border-0 last:pb-0">
      <div className="mb-2 flex items-start justify-between gap-2">
        <div>
          <h3 className="font-medium">{title}</h3>
          <p className="text-dense text-soft">{about}</p>
        </div>
        {edit !== undefined && !isEditing && (
          <Button size="small" className="max-md:min-h-11" onClick={() => setIsEditing(true)}>
            <Pencil size={14} aria-hidden />
            {t.settings.change}
            <span className="sr-only">{title}</span>
          </Button>
        )}
      </div>
      {isEditing && edit !== undefined ? (
        <RulesEditor rules={rules} {...edit} onDone={() => setIsEditing(false)} />
      ) : (
        <RuleLists rules={rules} none={none} />
      )}
    </div>
  );
}
