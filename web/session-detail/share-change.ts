import type { Share, ShareLevel } from '../../src/contract/access.ts';

/*
 * Shares are stored as a whole. A change is applied to the current list, not to the one on the
 * page.
 */

export type ShareChange =
  | { readonly is: 'add'; readonly user: string; readonly level: ShareLevel }
  | { readonly is: 'level'; readonly userId: string; readonly level: ShareLevel }
  | { readonly is: 'remove'; readonly userId: string };

export type Wanted = { readonly user: string; readonly level: ShareLevel }[];

/** The shares to store; null if the share in question is no longer as the page showed it. */
export function sharesAfter(
  change: ShareChange,
  shown: readonly Share[],
  now: readonly Share[],
): Wanted | null {
  const wanted = now.map(({ userId, level }) => ({ user: userId as string, level }));
  const about = (all: readonly Share[]): Share | undefined =>
    all.find(({ userId, userName }) =>
      change.is === 'add'
        ? change.user === userName || change.user === userId
        : change.userId === userId,
    );
  if (about(shown)?.level !== about(now)?.level) return null;
  switch (change.is) {
    case 'add':
      return [...wanted, { user: change.user, level: change.level }];
    case 'level':
      return wanted.map((each) =>
        each.user === change.userId ? { ...each, level: change.level } : each,
      );
    case 'remove':
      return wanted.filter(({ user }) => user !== change.userId);
  }
}
