import { useEffect, useRef } from 'react';
import { signedOut } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';

/**
 * The sign-in ended while the page was open. Uses the browser's own dialog, which works even if
 * nothing more can be loaded.
 */
export function SignedOut() {
  const t = useTexts();
  const isOut = useStore(signedOut);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (isOut) dialog.current?.showModal();
  }, [isOut]);
  if (!isOut) return null;
  const next = encodeURIComponent(location.pathname + location.search);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="signed-out"
      onClose={() => signedOut.set(false)}
      className="m-auto w-[min(420px,calc(100vw-24px))] rounded border border-edge bg-panel p-5 text-ink shadow-float backdrop:bg-scrim"
    >
      <h2 id="signed-out" className="text-lg font-semibold">
        {t.shell.signedOut}
      </h2>
      <p className="mt-2 mb-4 text-soft">{t.shell.signedOutHelp}</p>
      <div className="flex flex-wrap gap-2">
        <a
          href={`/sign-in?next=${next}`}
          className="inline-flex min-h-9 items-center justify-center rounded bg-accent px-3 font-medium text-on-accent hover:bg-accent-over max-md:min-h-11 max-md:min-w-11"
        >
          {t.shell.signIn}
        </a>
        <Button onClick={() => dialog.current?.close()}>{t.common.close}</Button>
      </div>
    </dialog>
  );
}
