import { spellOutUnseen, spellOutUnseenInProse } from '../../src/client/spell-out-unseen.ts';
import type { Approval } from '../../src/contract/approval.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { lineDiff } from '../parts/line-diff.ts';
import { useTexts } from '../texts/texts.ts';
import { Change } from './change.tsx';
import { CODE_BOX, Command } from './command.tsx';
import { ScrollBox } from './scroll-box.tsx';
import { type Fields, parseToolCall, type ToolCall } from './tool-call.ts';

/** Everything that will happen if the call is allowed. */
export function ToolView({ approval, input }: { approval: Approval; input: Json }) {
  const call = parseToolCall(approval, input);
  return (
    <>
      <CallView call={call} warns={approval.state === 'pending'} />
      <Rest fields={call.fields} />
    </>
  );
}

function CallView({ call, warns }: { call: ToolCall; warns: boolean }) {
  const t = useTexts();
  switch (call.is) {
    case 'command':
      return (
        <>
          <Command command={call.command} warns={warns} />
          {call.about !== '' && (
            <p className="mt-1.5 line-clamp-3 text-dense text-soft">
              {spellOutUnseenInProse(call.about)}
            </p>
          )}
        </>
      );
    case 'change':
      return (
        <Change
          path={call.path}
          lines={call.changes.flatMap(({ before, after }) =>
            lineDiff(spellOutUnseenInProse(before), spellOutUnseenInProse(after)),
          )}
        />
      );
    case 'write':
      return <Change path={call.path} lines={lineDiff('', spellOutUnseenInProse(call.content))} />;
    case 'address':
      return (
        <ScrollBox label={t.approvals.did.address} className={CODE_BOX}>
          {spellOutUnseen(call.url)}
        </ScrollBox>
      );
    case 'plan':
      return <Plan plan={call.plan} />;
    case 'questions':
      return (
        <ul className="space-y-1 whitespace-pre-wrap">
          {call.questions.map(({ question }) => (
            <li key={question}>{spellOutUnseenInProse(question)}</li>
          ))}
        </ul>
      );
    case 'other':
      return null;
  }
}

/**
 * A plan is not shown as Markdown, which would leave out link targets, definitions and parts of
 * tables.
 */
function Plan({ plan }: { plan: string }) {
  const t = useTexts();
  if (plan.trim() === '') return <p className="text-dense text-warn">{t.approvals.noPlan}</p>;
  return (
    <ScrollBox label={t.approvals.did.plan} className={CODE_BOX}>
      {spellOutUnseenInProse(plan)}
    </ScrollBox>
  );
}

/** Fields that are not shown in any other way. */
const Rest = ({ fields }: { fields: Fields }) => (
  <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-dense empty:hidden max-md:grid-cols-1">
    {Object.entries(fields).map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-soft">{spellOutUnseen(name)}</dt>
        <dd className="min-w-0">
          <ScrollBox label={name} className="font-mono whitespace-pre-wrap">
            {spellOutUnseen(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
          </ScrollBox>
        </dd>
      </div>
    ))}
  </dl>
);
