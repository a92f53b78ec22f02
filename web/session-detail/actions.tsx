import { useNavigate } from '@tanstack/react-router';
import {
  Archive,
  CircleCheck,
  CirclePause,
  CirclePlay,
  CircleStop,
  FolderOpen,
  GitFork,
  type LucideIcon,
  RotateCw,
  Trash2,
} from 'lucide-react';
import { useState } from 'react';
import type { Me } from '../../src/contract/access.ts';
import type { Session } from '../../src/contract/session.ts';
import { client, queries } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { useTexts } from '../texts/texts.ts';
import { availableActions, isProtected, mayOwn, type SessionAction } from './available-actions.ts';
import { ExportMenu } from './export-menu.tsx';

const ConfirmDialog = lazyPart(() => import('../parts/confirm-dialog.tsx'), 'ConfirmDialog');
const ForkDialog = lazyPart(() => import('./fork-dialog.tsx'), 'ForkDialog');

const ICONS: Record<SessionAction, LucideIcon> = {
  complete: CircleCheck,
  terminate: CircleStop,
  reopen: FolderOpen,
  retry: RotateCw,
  hold: CirclePause,
  resume: CirclePlay,
  fork: GitFork,
  archive: Archive,
  delete: Trash2,
};

/** Actions with a red button; the others can be undone. */
const DESTRUCTIVE: readonly SessionAction[] = ['terminate', 'delete'];

/** The actions available to the user now. */
export function Actions({ session, me }: { session: Session; me: Me }) {
  const t = useTexts();
  const navigate = useNavigate();
  const [confirming, setConfirming] = useState<SessionAction | null>(null);
  const params = { id: session.id };

  const act = async (action: Exclude<SessionAction, 'fork'>): Promise<void> => {
    if (action === 'delete') {
      await client.deleteSession({ params });
      queries.removeQueries({ queryKey: ['session', session.id] });
      await navigate({ to: '/' });
    } else queries.setQueryData(['session', session.id], await client[action]({ params }));
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };

  return (
    <div className="flex flex-wrap items-center gap-2">
      {availableActions(session, me).map((action) => {
        const Icon = ICONS[action];
        return (
          <Button
            key={action}
            variant={DESTRUCTIVE.includes(action) ? 'danger' : 'plain'}
            onClick={() => setConfirming(action)}
          >
            <Icon size={16} aria-hidden />
            {t.detail.actions[action].name}
          </Button>
        );
      })}
      <ExportMenu session={session} />
      {isProtected(session) && mayOwn(session, me) && (
        <p className="basis-full text-dense text-soft">{t.detail.isProtected}</p>
      )}
      {confirming === 'fork' && (
        <ForkDialog session={session} onClose={() => setConfirming(null)} />
      )}
      {confirming !== null && confirming !== 'fork' && (
        <ConfirmDialog
          title={t.detail.actions[confirming].title(session.name)}
          about={t.detail.actions[confirming].about}
          confirm={t.detail.actions[confirming].name}
          variant={DESTRUCTIVE.includes(confirming) ? 'danger' : 'primary'}
          act={() => act(confirming)}
          onClose={() => setConfirming(null)}
        />
      )}
    </div>
  );
}
