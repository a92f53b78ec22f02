import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { isBatonError } from '../../src/contract/errors.ts';
import { sessionQuery, sessionsQuery } from '../api/queries.ts';
import { useTexts } from '../texts/texts.ts';

/** Taken from the loaded list; requested only if it is not there. */
export function SessionName({ id }: { id: string }) {
  const t = useTexts();
  const { data: list } = useInfiniteQuery(sessionsQuery({}));
  const listed = list?.pages.flatMap(({ items }) => items).find((each) => each.id === id);
  const isMissing = list !== undefined && listed === undefined;
  const { data, error } = useQuery({ ...sessionQuery(id), enabled: isMissing });
  if (isBatonError(error, 'not_found')) return <>{t.dashboard.sessionDeleted}</>;
  return <>{listed?.name ?? data?.name ?? '…'}</>;
}
