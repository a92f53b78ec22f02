import { signedOut } from '../api/client.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useStore } from '../parts/store.ts';
import { useTexts } from '../texts/texts.ts';

/** The sign-in ended while the page was open. */
export function SignedOut() {
  const t = useTexts();
  const next = encodeURIComponent(location.pathname);
  return (
    <Dialog
      open={useStore(signedOut)}
      onClose={() => signedOut.set(false)}
      title={t.shell.signedOut}
      about={t.shell.signedOutHelp}
    >
      <a
        href={`/sign-in?next=${next}`}
        className="inline-flex min-h-9 items-center rounded bg-accent px-3 font-medium text-on-accent hover:bg-accent-over max-md:min-h-11"
      >
        {t.shell.signIn}
      </a>
    </Dialog>
  );
}
