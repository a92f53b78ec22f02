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
import { ExportMenu } from './export-menu.tsx';
import { type Deed, isProtected, mayOwn, possibleDeeds } from './possible.ts';

const ConfirmDialog = lazyPart(() => import('../parts/confirm-dialog.tsx'), 'ConfirmDialog');
const ForkDialog = lazyPart(() => import('./fork-dialog.tsx'), 'ForkDialog');

const ICONS: Record<Deed, LucideIcon> = {
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

/** What ends something; the rest can be taken back. */
const ENDING: readonly Deed[] = ['terminate', 'delete'];

/** What can be done with the session as a whole, now and by this person. */
export function Deeds({ session, me }: { session: Session; me: Me }) {
  const t = useTexts();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<Deed | null>(null);
  const params = { id: session.id };

  const act = async (deed: Exclude<Deed, 'fork'>): Promise<void> => {
    if (deed === 'delete') {
      await client.deleteSession({ params });
      queries.removeQueries({ queryKey: ['session', session.id] });
      await navigate({ to: '/' });
    } else queries.setQueryData(['session', session.id], await client[deed]({ params }));
    await queries.invalidateQueries({ queryKey: ['sessions'] });
  };

  return (
    <div className="flex flex-wrap items-center gap-2">
      {possibleDeeds(session, me).map((deed) => {
        const Icon = ICONS[deed];
        return (
          <Button
            key={deed}
            look={ENDING.includes(deed) ? 'danger' : 'plain'}
            onClick={() => setAsked(deed)}
          >
            <Icon size={16} aria-hidden />
            {t.detail.actions[deed].name}
          </Button>
        );
      })}
      <ExportMenu session={session} />
      {isProtected(session) && mayOwn(session, me) && (
        <p className="basis-full text-dense text-soft">{t.detail.isProtected}</p>
      )}
      {asked === 'fork' && <ForkDialog session={session} onClose={() => setAsked(null)} />}
      {asked !== null && asked !== 'fork' && (
        <ConfirmDialog
          title={t.detail.actions[asked].title(session.name)}
          about={t.detail.actions[asked].about}
          confirm={t.detail.actions[asked].name}
          look={ENDING.includes(asked) ? 'danger' : 'primary'}
          act={() => act(asked)}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  );
}
