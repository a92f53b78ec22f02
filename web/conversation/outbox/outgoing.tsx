import { Button } from '../../parts/button.tsx';
import type { Texts } from '../../texts/en/all.ts';
import { useTexts } from '../../texts/texts.ts';
import { useConversation } from '../context.ts';
import { hasEnded } from '../ended.ts';
import { refusalOf } from '../refusal.ts';
import { Bubble } from '../rows/bubble.tsx';
import { isUnsure, type Outbox, type Outgoing } from './outbox.ts';

interface Props {
  readonly letters: readonly Outgoing[];
  readonly outbox: Outbox;
  readonly onPutBack: (letter: Outgoing) => void;
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
  const { session, mayAct } = useConversation();
  const { key, state, files, missing } = letter;
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
        {whyNot(letter, t)}
      </span>
      <span className="flex flex-wrap justify-end gap-2 max-md:*:min-h-11">
        {mayAct && missing.length === 0 && (
          <Button size="small" onClick={() => outbox.again(key)}>
            {t.conversation.sendAgain}
          </Button>
        )}
        {/* Where there is nothing to write in, it stays here. */}
        {mayAct && !hasEnded(session) && (
          <Button
            size="small"
            onClick={() => {
              onPutBack(letter);
              outbox.discard(key);
            }}
          >
            {t.conversation.returnToDraft}
          </Button>
        )}
        <Button size="small" look="quiet" onClick={() => outbox.discard(key)}>
          {t.conversation.discard}
        </Button>
      </span>
    </>
  );
}

function whyNot({ error, missing }: Outgoing, t: Texts): string {
  const words = t.conversation;
  if (missing.length > 0) return words.filesLost(missing.join(', '));
  if (error === null) return words.tooOld;
  return isUnsure(error) ? words.unsure : `${words.notSent} ${refusalOf(error, t)}`;
}
