import { TriangleAlert } from 'lucide-react';
import { type ReactNode, Suspense } from 'react';
import type { Approval } from '../../src/contract/approval.ts';
import type { Json } from '../../src/contract/json.ts';
import { DiffView } from '../parts/diff-view.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { lineDiff } from '../parts/line-diff.ts';
import { useTexts } from '../texts/texts.ts';
import { type Asked, askedOf, type Fields, visible } from './asked.ts';
import { piecesOf, risksOf } from './risk.ts';

// Only plans need it, and it is not small.
const Markdown = lazyPart(() => import('../conversation/markdown.tsx'), 'Markdown');

/** Long texts scroll in their box. */
const Box = ({ label, children }: { label: string; children: ReactNode }) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    tabIndex={0}
    className="max-h-[40vh] overflow-auto rounded border border-edge bg-paper px-3 py-2 font-mono text-dense whitespace-pre-wrap"
  >
    {children}
  </section>
);

/** What will happen if it is allowed. */
export function What({ approval, input }: { approval: Approval; input: Json }) {
  const t = useTexts();
  const asked = askedOf(approval, input);
  switch (asked.is) {
    case 'command':
      return (
        <Command
          command={visible(asked.command)}
          about={asked.about}
          warns={approval.state === 'pending'}
        />
      );
    case 'change':
      return (
        <Change
          path={asked.path}
          lines={asked.changes.flatMap(({ before, after }) =>
            lineDiff(visible(before), visible(after)),
          )}
        />
      );
    case 'write':
      return <Change path={asked.path} lines={lineDiff('', visible(asked.content))} />;
    case 'address':
      return (
        <>
          <Box label={t.approvals.did[asked.is]}>{visible(asked.url)}</Box>
          {asked.about !== '' && <About text={asked.about} />}
        </>
      );
    case 'plan':
      return (
        <div className="max-h-[50vh] overflow-y-auto rounded border border-edge bg-paper px-3 py-2">
          <Suspense fallback={<p className="whitespace-pre-wrap">{visible(asked.plan)}</p>}>
            <Markdown text={visible(asked.plan)} />
          </Suspense>
        </div>
      );
    case 'questions':
      return <Questions asked={asked} />;
    case 'other':
      return <Other fields={asked.fields} />;
  }
}

const About = ({ text }: { text: string }) => (
  <p className="mt-1.5 line-clamp-3 text-dense text-soft">{visible(text)}</p>
);

interface CommandProps {
  readonly command: string;
  readonly about: string;
  /** Once it is answered, nobody need look twice. */
  readonly warns: boolean;
}

function Command({ command, about, warns }: CommandProps) {
  const t = useTexts();
  const pieces = warns ? piecesOf(command) : [{ text: command, risk: null }];
  const risks = risksOf(pieces);
  return (
    <>
      <Box label={t.approvals.did.command}>
        {pieces.map(({ text, risk }, at) =>
          risk === null ? (
            text
          ) : (
            <mark
              // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a command do not move
              key={at}
              title={t.approvals.risk[risk]}
              className="rounded bg-warn-soft font-semibold text-warn underline decoration-wavy decoration-1 underline-offset-4"
            >
              {text}
            </mark>
          ),
        )}
      </Box>
      {risks.length > 0 && (
        <p className="mt-1.5 flex items-center gap-1.5 text-dense text-warn">
          <TriangleAlert size={14} className="shrink-0" aria-hidden />
          {t.approvals.risks} {risks.map((risk) => t.approvals.risk[risk]).join(' · ')}
        </p>
      )}
      {about !== '' && <About text={about} />}
    </>
  );
}

function Change({ path, lines }: { path: string; lines: ReturnType<typeof lineDiff> }) {
  const t = useTexts();
  return (
    <>
      <p className="mb-1.5 font-mono text-dense">{visible(path)}</p>
      <DiffView lines={lines} label={t.approvals.did.change} />
    </>
  );
}

/** As it was asked; the form to answer it has the same words. */
const Questions = ({ asked }: { asked: Extract<Asked, { is: 'questions' }> }) => (
  <ul className="space-y-1">
    {asked.questions.map(({ question }) => (
      <li key={question}>{visible(question)}</li>
    ))}
  </ul>
);

const Other = ({ fields }: { fields: Fields }) => (
  <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-dense max-md:grid-cols-1">
    {Object.entries(fields).map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="text-soft">{visible(name)}</dt>
        <dd className="max-h-[30vh] overflow-auto font-mono whitespace-pre-wrap">
          {visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}
        </dd>
      </div>
    ))}
  </dl>
);
