import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CreatedToken, Me, Token } from '../../src/contract/access.ts';
import { client, queries } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { Ago, exactTime } from '../parts/time.tsx';
import { useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { useTexts } from '../texts/texts.ts';
import { NewToken } from './new-token.tsx';
import { tokensQuery } from './queries.ts';
import { ShownOnce } from './shown-once.tsx';

/** The user's own tokens. */
export function Tokens({ me }: { me: Me }) {
  const t = useTexts();
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<CreatedToken | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(tokensQuery);
  const tokens = data?.pages.flatMap(({ items }) => items) ?? [];
  const reload = () => queries.invalidateQueries({ queryKey: tokensQuery.queryKey });
  return (
    <Section
      about={t.settings.tokensHelp}
      actions={
        <Button variant="primary" onClick={() => setIsMaking(true)}>
          <Plus size={16} aria-hidden />
          {t.settings.newToken}
        </Button>
      }
    >
      {made !== null && (
        <ShownOnce
          title={t.settings.tokenCreated(made.name)}
          about={t.settings.shownOnce}
          value={made.token}
        />
      )}
      {error !== null && <LoadError error={error} retry={() => void refetch()} />}
      {data !== undefined && tokens.length === 0 && (
        <p className="text-dense text-soft">{t.settings.noTokens}</p>
      )}
      <ul className="-mx-4 divide-y divide-edge">
        {tokens.map((token) => (
          <Row key={token.id} token={token} onRevoke={() => setRevoking(token)} />
        ))}
      </ul>
      {hasNextPage && (
        <Button
          variant="quiet"
          size="small"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {t.common.loadMore}
        </Button>
      )}
      {isMaking && (
        <NewToken
          rights={me.rights}
          onClose={() => setIsMaking(false)}
          onMade={(token) => {
            setMade(token);
            setIsMaking(false);
            void reload();
          }}
        />
      )}
      {revoking !== null && (
        <ConfirmDialog
          title={t.settings.revokeTitle(revoking.name)}
          about={t.settings.revokeAbout}
          confirm={t.settings.revoke}
          variant="danger"
          act={async () => {
            await client.revokeToken({ params: { id: revoking.id } });
            if (made?.id === revoking.id) setMade(null);
            await reload();
          }}
          onClose={() => setRevoking(null)}
        />
      )}
    </Section>
  );
}

function Row({ token, onRevoke }: { token: Token; onRevoke: () => void }) {
  const t = useTexts();
  const locale = useStore(language);
  const { expiresAt, lastUsedAt, revokedAt } = token;
  const isOver = revokedAt !== null || (expiresAt !== null && Date.parse(expiresAt) < Date.now());
  return (
    <li className={`flex items-center gap-3 px-4 py-2.5 ${isOver ? 'text-soft' : ''}`}>
      <div className="min-w-0 grow">
        <p className={`font-medium ${isOver ? 'line-through' : ''}`}>{token.name}</p>
        <p className="text-dense text-soft">
          {token.scopes.map((scope) => t.settings.rights[scope]).join(' · ')}
        </p>
        <p className="text-dense text-soft">
          {lastUsedAt === null ? (
            t.settings.neverUsed
          ) : (
            <>
              {t.settings.lastUsed} <Ago at={lastUsedAt} />
            </>
          )}
          {' · '}
          {revokedAt !== null
            ? t.settings.revoked
            : expiresAt === null
              ? t.settings.neverExpires
              : isOver
                ? t.settings.expired
                : t.settings.expiresAt(exactTime(expiresAt, locale))}
        </p>
      </div>
      {!isOver && (
        <Button variant="danger" size="small" className="max-md:min-h-11" onClick={onRevoke}>
          {t.settings.revoke}
          <span className="sr-only">{token.name}</span>
        </Button>
      )}
    </li>
  );
}
