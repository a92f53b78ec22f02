import type { Invocation } from '../../src/contract/run-view.ts';
import { Money } from '../parts/money.tsx';
import { Fact } from '../parts/section.tsx';
import { duration, exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { Estimated } from './estimated.tsx';

/** One agent process: exit, usage and error output. */
export function InvocationCard({ invocation }: { invocation: Invocation }) {
  const t = useTexts();
  const locale = useStore(language);
  const { exitCode, signal, durationMs, stderr, model, error } = invocation;
  const count = (tokens: number): string => tokens.toLocaleString(locale);
  const tokens = invocation.inputTokens + invocation.outputTokens;
  const tools = toolsOf(invocation);
  return (
    <article className="rounded border border-edge p-3">
      <h3 className="mb-2 text-dense font-medium">
        {t.detail.attempt(invocation.attempt)}
        <span className="font-normal text-soft">{` · ${exactTime(invocation.startedAt, locale)}`}</span>
      </h3>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-2 text-dense sm:grid-cols-4">
        <Fact name={t.detail.exit}>
          <span className="figures">
            {signal ?? exitCode ?? (durationMs === null ? t.detail.stillRunning : '–')}
          </span>
        </Fact>
        <Fact name={t.detail.duration}>
          <span className="figures">{durationMs === null ? '–' : duration(durationMs)}</span>
        </Fact>
        <Fact name={t.detail.cost}>
          <Money usd={invocation.costUsd} />
          {invocation.costSource === 'estimated' && <Estimated />}
        </Fact>
        {model !== null && (
          <Fact name={t.detail.model}>
            <span className="font-mono">{model}</span>
          </Fact>
        )}
        {tokens > 0 && (
          <>
            <Fact name={t.detail.input}>
              <span className="figures">{count(invocation.inputTokens)}</span>
            </Fact>
            <Fact name={t.detail.output}>
              <span className="figures">{count(invocation.outputTokens)}</span>
            </Fact>
            <Fact name={t.detail.cacheWrite}>
              <span className="figures">{count(invocation.cacheCreationTokens)}</span>
            </Fact>
            <Fact name={t.detail.cacheRead}>
              <span className="figures">{count(invocation.cacheReadTokens)}</span>
            </Fact>
          </>
        )}
      </dl>
      {tools !== '' && <p className="mt-2 text-dense text-soft">{tools}</p>}
      {error !== null && <p className="mt-2 text-dense text-bad">{error.message}</p>}
      {stderr !== '' && (
        <details className="mt-2">
          <summary className="text-dense text-soft max-md:min-h-11">{t.detail.stderr}</summary>
          <pre className="mt-1 rounded bg-raised p-2 font-mono text-xs whitespace-pre-wrap">
            {stderr}
          </pre>
        </details>
      )}
    </article>
  );
}

/** `Bash 3, Read 2`. */
function toolsOf({ tools }: Invocation): string {
  const counts = new Map<string, number>();
  for (const name of Array.isArray(tools) ? tools : []) {
    if (typeof name === 'string') counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, times]) => `${name} ${times}`).join(', ');
}
