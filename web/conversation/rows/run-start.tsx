import { useQuery } from '@tanstack/react-query';
import { Paperclip } from 'lucide-react';
import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import { meQuery, userNamesQuery } from '../../api/queries.ts';
import { sizeOf } from '../../parts/size.ts';
import { Ago } from '../../parts/time.tsx';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import type { StartBlock, SteeredBlock } from '../log/blocks.ts';
import type { RunInfo } from '../log/run-cache.ts';
import { Bubble } from './bubble.tsx';

interface Props {
  readonly block: StartBlock;
  /** Null if the run was removed, undefined until it is loaded. */
  readonly info: RunInfo | null | undefined;
}

/** The start of a run: the user's message. */
export function RunStart({ block, info }: Props) {
  const t = useTexts();
  const { session } = useConversation();
  const text = info?.message ?? null;
  return (
    <div className="pt-3">
      {text === null ? (
        <p className="min-h-9 text-right text-dense text-soft">
          {info === undefined ? t.common.loading : t.conversation.messageGone}
        </p>
      ) : (
        <Bubble
          text={text}
          mono={takesCommands(session.agent)}
          above={
            <>
              {info?.retryOf != null && `${t.conversation.again} · `}
              <By sender={info?.sender ?? null} />
              <Via channel={info?.channel ?? null} />
              <Ago at={block.at} />
            </>
          }
          {...(info !== null && info !== undefined && info.attachments.length > 0
            ? { below: <Files files={info.attachments} /> }
            : {})}
        />
      )}
    </div>
  );
}

/** Attached files; only the agent gets their content. */
const Files = ({ files }: { files: RunInfo['attachments'] }) => (
  <>
    {files.map(({ name, mediaType, bytes }, at) => (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: names may repeat, and the order is fixed
        key={at}
        className="inline-flex items-center gap-1 rounded border border-edge px-1.5 py-0.5"
      >
        <Paperclip size={12} className="shrink-0" aria-hidden />
        <span>
          {name}{' '}
          <span className="whitespace-nowrap">
            ({mediaType}, {sizeOf(bytes)})
          </span>
        </span>
      </span>
    ))}
  </>
);

/** The author, unless it is the current user. */
function By({ sender }: { sender: string | null }) {
  const { data: me } = useQuery(meQuery);
  const { data: names } = useQuery(userNamesQuery);
  const name = sender === null || sender === me?.user.id ? undefined : names?.get(sender);
  return name === undefined ? null : `${name} · `;
}

/** The channel, unless it is the web. */
function Via({ channel }: { channel: string | null }) {
  const t = useTexts();
  if (channel === null || channel === 'web') return null;
  const channels = t.common.channels;
  const name = Object.hasOwn(channels, channel)
    ? channels[channel as keyof typeof channels]
    : channel;
  return <>{`${t.conversation.via(name)} · `}</>;
}

export function Steered({ block }: { block: SteeredBlock }) {
  const t = useTexts();
  return (
    <Bubble
      text={block.text}
      mono={false}
      above={
        <>
          {t.conversation.steered} · <By sender={block.sender} />
          <Via channel={block.channel} />
          <Ago at={block.at} />
        </>
      }
    />
  );
}
