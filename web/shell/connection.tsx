import { WifiOff } from 'lucide-react';
import { connection } from '../api/live.ts';
import { useStore } from '../state/store.ts';
import { useTexts } from '../texts/texts.ts';

/** State of the connection as a small dot. */
export function ConnectionDot() {
  const t = useTexts();
  const state = useStore(connection);
  const style = state === 'connected' ? 'bg-good' : 'bg-warn animate-beat';
  return (
    <span className="flex items-center gap-1.5 text-xs text-soft" role="status">
      <span className={`size-1.5 rounded-full ${style}`} aria-hidden />
      {state === 'connected' ? t.shell.connection.connected : t.shell.connection.connecting}
    </span>
  );
}

/** Warns that the page may be out of date. */
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
