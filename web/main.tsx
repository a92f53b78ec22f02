import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queries } from './api/client.ts';
import { watchCurrentUser } from './api/current-user.ts';
import { followHints } from './api/live.ts';
import { loadPatiently } from './api/load-patiently.ts';
import { hasPageKey } from './api/page-key.ts';
import { outboxPrefix } from './conversation/outbox/outbox-storage.ts';
import { applyTheme } from './parts/theme.ts';
import { router } from './router.tsx';
import { storedNames } from './state/stored.ts';
import './styles.css';
import { language, loadTexts } from './texts/language.ts';

// Allows styles that components add at run time (see the server's CSP).
const nonce = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content;
if (nonce !== undefined) setNonce(nonce);

applyTheme();
const applyLanguage = (): void => {
  document.documentElement.lang = language.get();
};
applyLanguage();
language.subscribe(applyLanguage);

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
  watchCurrentUser((userId) => {
    if (storedNames(outboxPrefix(userId)).length === 0) return;
    void loadPatiently(() => import('./conversation/session-state.ts')).then(({ sendStored }) =>
      sendStored(userId),
    );
  });
  // Load this page's code in parallel with its strings.
  void router.load();
  // Not a top-level await: other modules wait for this one.
  void loadPatiently(() => loadTexts(language.get())).then(show);
}

if (hasPageKey()) start();
// The cookie alone opens only this page.
else {
  const next = encodeURIComponent(location.pathname + location.search);
  location.replace(`/sign-in?without=key&next=${next}`);
}
