import { expect, it } from 'vitest';
import type { Share } from '../../src/contract/access.ts';
import { sharesAfter } from './share-change.ts';

const share = (name: string, level: Share['level'] = 'view') =>
  ({ userId: `id-${name}`, userName: name, level }) as Share;
const taro = share('taro');
const hanako = share('hanako');

it('[X3] a change keeps what others did at the same time', () => {
  const add = { is: 'add', user: 'jiro', level: 'view' } as const;
  // Removed on another page: it is not restored.
  expect(sharesAfter(add, [taro, hanako], [hanako])).toEqual([
    { user: 'id-hanako', level: 'view' },
    { user: 'jiro', level: 'view' },
  ]);
  const level = { is: 'level', userId: 'id-taro', level: 'operate' } as const;
  expect(sharesAfter(level, [taro], [taro, hanako])).toEqual([
    { user: 'id-taro', level: 'operate' },
    { user: 'id-hanako', level: 'view' },
  ]);
  const remove = { is: 'remove', userId: 'id-taro' } as const;
  expect(sharesAfter(remove, [taro], [taro, hanako])).toEqual([
    { user: 'id-hanako', level: 'view' },
  ]);
});

it('[X3] a change to an outdated share is left for the user to decide', () => {
  const level = { is: 'level', userId: 'id-taro', level: 'operate' } as const;
  expect(sharesAfter(level, [taro], [])).toBeNull();
  const add = { is: 'add', user: 'taro', level: 'operate' } as const;
  expect(sharesAfter(add, [], [taro])).toBeNull();
  const remove = { is: 'remove', userId: 'id-taro' } as const;
  expect(sharesAfter(remove, [taro], [share('taro', 'operate')])).toBeNull();
});
