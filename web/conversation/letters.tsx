import { Button } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';
import { Bubble } from './bubble.tsx';
import { useConversation } from './context.ts';
import type { Outbox, Outgoing } from './outbox.ts';
import { refusalOf } from './refusal.ts';

interface Props {
  readonly letters: readonly Outgoing[];
  readonly outbox: Outbox;
  readonly onPutBack: (text: string) => void;
}

/** What was just sent, before the log has it; and what could not be sent. */
export function Letters({ letters, outbox, onPutBack }: Props) {
  const { session } = useConversation();
  return (
    <div className="space-y-3">
      {letters.map((letter) => (
        <Bubble
          key={letter.key}
          text={letter.text}
          mono={session.agent.kind === 'shell'}
          faint={letter.state !== 'accepted'}
          below={<Below letter={letter} outbox={outbox} onPutBack={onPutBack} />}
        />
      ))}
    </div>
  );
}

function Below({ letter, outbox, onPutBack }: Omit<Props, 'letters'> & { letter: Outgoing }) {
  const t = useTexts();
  const { key, state, text, files, error } = letter;
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
      <span role="alert" className="text-bad">
        {t.conversation.notSent} {refusalOf(error, t)}
      </span>
      <Button size="small" onClick={() => outbox.again(key)}>
        {t.conversation.sendAgain}
      </Button>
      <Button
        size="small"
        onClick={() => {
          onPutBack(text);
          outbox.discard(key);
        }}
      >
        {t.conversation.putBack}
      </Button>
      <Button size="small" look="quiet" onClick={() => outbox.discard(key)}>
        {t.conversation.discard}
      </Button>
    </>
  );
}
