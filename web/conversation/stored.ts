/* What is kept in this browser. A full or forbidden store only means that nothing is kept. */

export function keep(name: string, value: string | null): void {
  try {
    if (value === null || value === '') localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {}
}

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export const draftOf = (sessionId: string): string => `baton.draft.${sessionId}`;
export const outboxOf = (sessionId: string): string => `baton.outbox.${sessionId}`;
export const ON_BUSY = 'baton.onBusy';
