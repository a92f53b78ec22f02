import { spellOutUnseenInProse } from '../../src/client/spell-out-unseen.ts';
import { Button } from '../parts/button.tsx';
import { INPUT } from '../parts/field.tsx';
import { useTexts } from '../texts/texts.ts';
import { answersOf, NOTHING, type Picked, toggle } from './answers.ts';
import type { Question } from './tool-call.ts';

interface Props {
  readonly questions: readonly Question[];
  readonly picked: readonly Picked[];
  readonly busy: boolean;
  readonly onChange: (picked: readonly Picked[]) => void;
  readonly onAnswer: (answers: Record<string, string>) => void;
  readonly onDeny: () => void;
}

/** Options to pick from, with a field for free text. */
export function QuestionForm({ questions, picked, busy, onChange, onAnswer, onDeny }: Props) {
  const t = useTexts();
  const set = (at: number, next: Picked): void =>
    onChange(questions.map((_, i) => (i === at ? next : (picked[i] ?? NOTHING))));
  const answers = answersOf(questions, picked);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (answers !== null && !busy) onAnswer(answers);
      }}
    >
      {questions.map((question, at) => (
        <One
          key={question.question}
          question={question}
          picked={picked[at] ?? NOTHING}
          onChange={(next) => set(at, next)}
        />
      ))}
      <div className="flex flex-wrap gap-2 max-md:*:min-h-12 max-md:*:grow">
        <Button variant="danger" disabled={busy} onClick={onDeny}>
          {t.approvals.dismiss}
        </Button>
        <Button variant="primary" type="submit" disabled={busy || answers === null}>
          {t.approvals.answer}
        </Button>
      </div>
    </form>
  );
}

interface OneProps {
  readonly question: Question;
  readonly picked: Picked;
  readonly onChange: (picked: Picked) => void;
}

function One({ question: { question, options, many }, picked, onChange }: OneProps) {
  const t = useTexts();
  return (
    <fieldset className="mb-3">
      <legend className="mb-1.5 font-medium whitespace-pre-wrap">
        {spellOutUnseenInProse(question)}
        {many && <span className="font-normal text-soft"> {t.approvals.pickMany}</span>}
      </legend>
      <div className="flex flex-col gap-1.5">
        {options.map(({ label, about }) => (
          <label
            key={label}
            className="flex min-h-9 cursor-pointer items-center gap-2.5 rounded border border-line px-3 py-1.5 hover:bg-raised has-checked:border-accent has-checked:bg-accent-soft max-md:min-h-12"
          >
            <input
              type={many ? 'checkbox' : 'radio'}
              checked={picked.labels.includes(label)}
              onChange={() => onChange(toggle(picked, label, many))}
              className="accent-accent"
            />
            <span className="whitespace-pre-wrap">
              {spellOutUnseenInProse(label)}
              {about !== '' && about !== label && (
                <span className="block text-dense text-soft">{spellOutUnseenInProse(about)}</span>
              )}
            </span>
          </label>
        ))}
        <input
          type="text"
          aria-label={`${spellOutUnseenInProse(question)}: ${t.approvals.ownWords}`}
          placeholder={t.approvals.ownWords}
          value={picked.words}
          onChange={({ target }) =>
            onChange({ labels: many ? picked.labels : [], words: target.value })
          }
          className={INPUT}
        />
      </div>
    </fieldset>
  );
}
