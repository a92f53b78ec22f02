import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { RunView } from '../../../src/contract/run-view.ts';
import type { Session } from '../../../src/contract/session.ts';
import { language, loadTexts } from '../../texts/language.ts';
import { ConversationContext } from '../context.ts';
import { QueueRow } from './queue-row.tsx';

const none = (): void => {};

function shown(kind: 'shell' | 'claude', message: string, was?: string): string {
  const run = (text: string) =>
    ({ id: 'r', message: text, runAt: null, attachments: [] }) as unknown as RunView;
  const session = { agent: { kind } } as unknown as Session;
  return renderToStaticMarkup(
    createElement(
      ConversationContext,
      { value: { session, mayAct: true, highlighted: null } },
      createElement(QueueRow, {
        run: run(message),
        at: 0,
        count: 1,
        mayAct: true,
        was: was === undefined ? undefined : run(was),
        hasStarted: false,
        onEditing: none,
        onMove: none,
        onEdit: async () => {},
        onReturnToDraft: none,
        onRemove: none,
      }),
    ),
  );
}

test('[X4] a queued command is shown with its hidden and reversing characters spelled out', async () => {
  await loadTexts(language.get());
  const text = 'ls \u202emoc\u200b';
  const command = shown('shell', text);
  expect(command).toContain('title="ls \\u{202e}moc\\u{200b}"');
  expect(command).toContain('>ls \\u{202e}moc\\u{200b}<');
  expect(shown('claude', text)).toContain(`>${text}<`);
});

test('[X4] hidden characters of a queued command are visible while it is edited', async () => {
  await loadTexts(language.get());
  vi.stubGlobal('matchMedia', () => ({ matches: false }));
  onTestFinished(() => void vi.unstubAllGlobals());
  const form = shown('shell', 'ls\u200bb', 'ls\u200ba');
  // What is edited is the text itself; below it are its current and its new version.
  expect(form).toContain('>ls\u200ba</textarea>');
  expect(form).toContain('<code class="font-mono">ls\\u{200b}a</code>');
  expect(form).toContain('>ls\\u{200b}b</q>');
});
