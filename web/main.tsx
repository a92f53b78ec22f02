import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/client.ts';
import { watchWho } from './api/current-user.ts';
import { followHints } from './api/live.ts';
import { loadPatiently } from './api/load-patiently.ts';
import { hasPageKey } from './api/page-key.ts';
import { lettersOf } from './conversation/outbox/outbox-storage.ts';
import { applyTheme } from './parts/theme.ts';
import { router } from './router.tsx';
import { keptNames } from './state/stored.ts';
import './styles.css';
import { language, loadTexts } from './texts/language.ts';

// Styles that parts of the page add while it runs are let in by this (see the server's CSP).
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce !== undefined) setNonce(nonce);

applyTheme();
const sayLanguage = (): void => {
  document.documentElement.lang = language.get();
};
sayLanguage();
language.subscribe(sayLanguage);

const show = (): void =>
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );

function start(): void {
  void followHints(new AbortController().signal);
  watchWho((userId) => {
    if (keptNames(lettersOf(userId)).length === 0) return;
    void loadPatiently(() => import('./conversation/session-state.ts')).then(({ sendKept }) =>
      sendKept(userId),
    );
  });
  // What the page at this address is made of comes together with its texts, not after them.
  void router.load();
  // Not awaited at the top: other files wait for this one.
  void loadPatiently(() => loadTexts(language.get())).then(show);
}

if (hasPageKey()) start();
// The cookie alone opens nothing but this page.
else {
  const next = encodeURIComponent(location.pathname + location.search);
  location.replace(`/sign-in?without=key&next=${next}`);
}
