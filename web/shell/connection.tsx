import { WifiOff } from 'lucide-react';
import { connection } from '../api/live.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';

/** Small and quiet while all is well. */
export function ConnectionDot() {
  const t = useTexts();
  const state = useStore(connection);
  const look = state === 'connected' ? 'bg-good' : 'bg-warn animate-beat';
  return (
    <span className="flex items-center gap-1.5 text-xs text-soft" role="status">
      <span className={`size-1.5 rounded-full ${look}`} aria-hidden />
      {state === 'connected' ? t.shell.connection.connected : t.shell.connection.connecting}
    </span>
  );
}

/** What is on the screen may be old, and the page says so. */
export function ConnectionBar() {
  const t = useTexts();
  const state = useStore(connection);
  if (state === 'connected' || state === 'connecting') return null;
  return (
    <p
      role="status"
      className="flex items-center justify-center gap-2 border-b border-warn bg-warn-soft px-3 py-1 text-dense"
    >
      <WifiOff size={14} className="text-warn" aria-hidden />
      {t.shell.connection[state]}
    </p>
  );
}
