import { takesCommands } from '../../../src/contract/agent-kinds.ts';
import { Button } from '../../parts/button.tsx';
import type { Texts } from '../../texts/en/all.ts';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import { hasEnded } from '../ended.ts';
import { refusalOf } from '../refusal.ts';
import { Bubble } from '../rows/bubble.tsx';
import { isUnsure, type Outbox, type OutboxItem } from './outbox.ts';

interface Props {
  readonly messages: readonly OutboxItem[];
  readonly outbox: Outbox;
  readonly onReturnToDraft: (message: OutboxItem) => void;
}

/** Messages just sent, until the log contains them, and those that could not be sent. */
export function OutgoingMessages({ messages, outbox, onReturnToDraft }: Props) {
  const { session } = useConversation();
  return (
    <div className="space-y-3">
      {messages.map((message) => (
        <Bubble
          key={message.key}
          text={message.text}
          mono={takesCommands(session.agent)}
          faint={message.state !== 'accepted'}
          below={<Below message={message} outbox={outbox} onReturnToDraft={onReturnToDraft} />}
        />
      ))}
    </div>
  );
}

function Below({
  message,
  outbox,
  onReturnToDraft,
}: Omit<Props, 'messages'> & { message: OutboxItem }) {
  const t = useTexts();
  const { session, mayAct } = useConversation();
  const { key, state, files, missing } = message;
  const names = files.map(({ name }) => name).join(', ');
  if (state !== 'refused') {
    const word = {
      sending: t.conversation.sending,
      waiting: t.conversation.unsent,
      accepted: t.conversation.accepted,
    };
    return (
      <span role="status">
        {names !== '' && `${names} · `}
        {word[state]}
      </span>
    );
  }
  return (
    <>
      {names !== '' && <span>{names}</span>}
      <span role="alert" className="text-bad">
        {whyNot(message, t)}
      </span>
      <span className="flex flex-wrap justify-end gap-2 max-md:*:min-h-11">
        {mayAct && missing.length === 0 && (
          <Button size="small" onClick={() => outbox.sendAgain(key)}>
            {t.conversation.sendAgain}
          </Button>
        )}
        {/* Without a composer, the message stays here. */}
        {mayAct && !hasEnded(session) && (
          <Button
            size="small"
            onClick={() => {
              onReturnToDraft(message);
              outbox.discard(key);
            }}
          >
            {t.conversation.returnToDraft}
          </Button>
        )}
        <Button size="small" variant="quiet" onClick={() => outbox.discard(key)}>
          {t.conversation.discard}
        </Button>
      </span>
    </>
  );
}

function whyNot({ error, missing }: OutboxItem, t: Texts): string {
  const words = t.conversation;
  if (missing.length > 0) return words.filesLost(missing.join(', '));
  if (error === null) return words.tooOld;
  return isUnsure(error) ? words.unsure : `${words.notSent} ${refusalOf(error, t)}`;
}
