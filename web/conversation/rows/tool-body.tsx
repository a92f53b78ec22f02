import { type Fields, fieldsOf, itemsIn, textIn } from '../../../src/client/fields.ts';
import { spellOutUnseen, spellOutUnseenInProse } from '../../../src/client/spell-out-unseen.ts';
import type { Json } from '../../../src/contract/values/json.ts';
import { parseToolCall } from '../../approvals/tool-call.ts';
import { Code } from '../../markdown/code.tsx';
import { DiffView } from '../../parts/diff-view.tsx';
import { lineDiff } from '../../parts/line-diff.ts';
import { useTexts } from '../../texts/texts.ts';
import type { ToolBlock } from '../log/blocks.ts';
import { LongText } from './long-text.tsx';
import { Output } from './output.tsx';

/** The input and output of an expanded tool call. */
export function ToolBody({ call }: { call: ToolBlock }) {
  const t = useTexts();
  const { input, truncated, result, refused, cut } = call;
  return (
    <div className="space-y-2 border-l-2 border-edge py-1 pl-3">
      <Input tool={call.tool} input={input} />
      {truncated && <p className="text-dense text-soft">{t.conversation.inputCut}</p>}
      <Answered call={call} />
      {refused !== null && (
        <p className="text-dense text-bad">
          {t.conversation.refusedBy}: {spellOutUnseen(refused)}
        </p>
      )}
      {cut && <p className="text-dense text-soft">{t.conversation.cutOff}</p>}
      {result !== null &&
        (result.text === '' ? (
          <p className="text-dense text-soft">{t.conversation.noOutput}</p>
        ) : (
          <Output text={result.text} bad={!result.ok} />
        ))}
      {result?.truncated === true && (
        <p className="text-dense text-soft">{t.conversation.outcomeCut}</p>
      )}
    </div>
  );
}

function Answered({ call: { asking } }: { call: ToolBlock }) {
  const t = useTexts();
  if (asking === null || asking.state === 'pending' || asking.state === 'withdrawn') return null;
  const how =
    asking.state === 'denied'
      ? t.conversation.deniedBy
      : asking.edited
        ? t.conversation.allowedEdited
        : asking.forSession
          ? t.conversation.allowedForSession
          : t.conversation.allowedOnce;
  return <p className="text-dense text-soft">{how}</p>;
}

function Input({ tool, input }: { tool: string; input: Json }) {
  const fields = fieldsOf(input);
  if (tool === 'TodoWrite') return <Todos fields={fields} />;
  const parsed = parseToolCall({ kind: 'tool', tool }, input);
  switch (parsed.is) {
    case 'command':
      return (
        <>
          {parsed.about !== '' && (
            <p className="text-dense text-soft">{spellOutUnseenInProse(parsed.about)}</p>
          )}
          <Code code={parsed.command} language="bash" />
        </>
      );
    case 'change':
      return (
        <Changes
          path={parsed.path}
          lines={parsed.changes.flatMap(({ before, after }) =>
            lineDiff(spellOutUnseenInProse(before), spellOutUnseenInProse(after)),
          )}
        />
      );
    case 'write':
      return (
        <Changes path={parsed.path} lines={lineDiff('', spellOutUnseenInProse(parsed.content))} />
      );
    default:
      return Object.keys(fields).length === 0 && input === null ? null : (
        <LongText text={textOf(input)} keep="start">
          {(shown) => <Code code={shown} language="json" isCommand />}
        </LongText>
      );
  }
}

const textOf = (input: Json): string =>
  typeof input === 'string' ? input : JSON.stringify(input, null, 2);

function Changes({ path, lines }: { path: string; lines: ReturnType<typeof lineDiff> }) {
  const shown = spellOutUnseen(path);
  return (
    <>
      <p className="font-mono text-dense text-soft">{shown}</p>
      <DiffView lines={lines} label={shown} />
    </>
  );
}

function Todos({ fields }: { fields: Fields }) {
  const t = useTexts();
  return (
    <ul className="text-dense">
      {itemsIn(fields, 'todos').map((item, at) => {
        const state = textIn(item, 'status') as keyof typeof t.conversation.todo;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list does not change
          <li key={at} className="flex gap-2">
            <span className="w-20 shrink-0 text-soft">{t.conversation.todo[state]}</span>
            <span className={state === 'completed' ? 'text-soft line-through' : ''}>
              {spellOutUnseenInProse(textIn(item, 'content'))}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
