import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { spellOutUnseen } from '../../src/client/spell-out-unseen.ts';
import { Channel } from '../../src/contract/message.ts';
import type { Verdict } from '../../src/contract/policy.ts';
import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import { DecisionName, EnforcedName } from './rule-lists.tsx';
import { inputFor, TOOLS } from './rules.ts';

interface RulesTesterProps {
  readonly sessionId?: string;
  readonly channel: Channel;
  readonly onChannel: (channel: Channel) => void;
}

/** Shows how a call would be decided and why, without running it. */
export function RulesTester({ sessionId, channel, onChannel }: RulesTesterProps) {
  const t = useTexts();
  const known = useId();
  const [tool, setTool] = useState('Bash');
  const [text, setText] = useState('');
  const call = inputFor(tool, text);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () =>
      client.testPolicy({
        body: { tool, channel, ...call, ...(sessionId === undefined ? {} : { sessionId }) },
      }),
  });
  return (
    <Section title={t.settings.tester} about={t.settings.testerHelp}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (call !== null && tool !== '') mutate();
        }}
      >
        <div className="grid gap-x-3 sm:grid-cols-[10rem_minmax(0,1fr)_10rem]">
          <Field label={t.settings.tool}>
            {(props) => (
              <>
                <input
                  {...props}
                  list={known}
                  value={tool}
                  maxLength={200}
                  autoComplete="off"
                  onChange={({ target }) => setTool(target.value)}
                />
                <datalist id={known}>
                  {TOOLS.map((each) => (
                    <option key={each} value={each} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <Field
            label={TOOLS.includes(tool) ? t.settings.callText : t.settings.callJson}
            error={call === null ? t.settings.noJson : undefined}
          >
            {(props) => (
              <input
                {...props}
                className={`${props.className} font-mono`}
                value={text}
                spellCheck={false}
                placeholder={tool === 'Bash' ? 'git push' : ''}
                onChange={({ target }) => setText(target.value)}
              />
            )}
          </Field>
          <Field label={t.settings.channel}>
            {(props) => (
              <select
                {...props}
                value={channel}
                onChange={({ target }) => onChannel(Channel.parse(target.value))}
              >
                {Channel.options.map((each) => (
                  <option key={each} value={each}>
                    {t.common.channels[each]}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
        <Button type="submit" disabled={isPending}>
          {t.settings.test}
        </Button>
      </form>
      <div aria-live="polite">
        {error !== null && (
          <div className="mt-3">
            <Notice tone="bad" title={problemOf(error, t)} />
          </div>
        )}
        {error === null && data !== undefined && <Answer verdict={data} />}
      </div>
    </Section>
  );
}

function Answer({ verdict: { decision, scope, rule, enforced } }: { verdict: Verdict }) {
  const t = useTexts();
  return (
    <p className="mt-3 flex flex-wrap items-baseline gap-x-2">
      <DecisionName decision={decision} />
      <span>{rule === null ? t.settings.noRuleDecides : t.settings.decidedBy[scope]}</span>
      {rule !== null && (
        <code className="rounded bg-raised px-1.5 font-mono text-dense">
          {spellOutUnseen(rule)}
        </code>
      )}
      {enforced && <EnforcedName />}
    </p>
  );
}
