import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTexts } from '../texts/texts.ts';
import type { RuleChange, RuleChanges } from './changes.ts';
import { DecisionName, EnforcedName } from './rule-lists.tsx';

interface Props {
  readonly changes: RuleChanges;
  readonly busy: boolean;
  readonly onTake: () => void;
  readonly onOverwrite: () => void;
}

/**
 * What others changed while the user was editing the rules; the user decides what to do about it.
 */
export function ChangedNotice({ changes, busy, onTake, onOverwrite }: Props) {
  const t = useTexts();
  return (
    <div className="mb-3">
      <Notice
        tone="warn"
        title={t.settings.rulesChanged}
        actions={
          <>
            <Button size="small" className="max-md:min-h-11" disabled={busy} onClick={onTake}>
              {t.settings.merge}
            </Button>
            <Button
              variant="danger"
              size="small"
              className="max-md:min-h-11"
              disabled={busy}
              onClick={onOverwrite}
            >
              {t.settings.overwrite}
            </Button>
          </>
        }
      >
        <Changed title={t.settings.rulesAdded} rules={changes.added} />
        <Changed title={t.settings.rulesRemoved} rules={changes.removed} />
      </Notice>
    </div>
  );
}

function Changed({ title, rules }: { title: string; rules: readonly RuleChange[] }) {
  if (rules.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul className="mb-1 text-ink">
        {rules.map(({ list, rule }) => (
          <li key={`${list} ${rule}`} className="flex flex-wrap items-center gap-x-2">
            {list === 'enforced' ? <EnforcedName /> : <DecisionName decision={list} />}
            <code className="font-mono text-dense">{spellOutUnseen(rule)}</code>
          </li>
        ))}
      </ul>
    </>
  );
}
