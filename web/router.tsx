import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Inbox, LayoutDashboard, Plus, Settings } from 'lucide-react';
import { loadPatiently } from './api/load-patiently.ts';
import { isRunGroup, type RunGroup } from './dashboard/figures.ts';
import { WaitingBadge } from './shell/badge.tsx';
import type { NavPage } from './shell/nav-page.ts';
import { Broken, NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { preloadStart, Start } from './shell/start.tsx';
import { withRest } from './texts/language.ts';

/*
 * The routes, and the pages that the navigation leads to. The server has the same paths
 * (src/server/web/paths.ts).
 */

const NAV_PAGES: readonly NavPage[] = [
  {
    to: '/new',
    name: { en: 'New session', ja: '新しいセッション' },
    icon: Plus,
    keys: 'c',
    needs: 'run',
    tab: { place: 2, name: { en: 'New', ja: '新規' } },
  },
  {
    to: '/inbox',
    name: { en: 'Inbox', ja: '受信トレイ' },
    icon: Inbox,
    keys: 'g i',
    tab: { place: 1 },
    badge: WaitingBadge,
  },
  {
    to: '/dashboard',
    name: { en: 'Dashboard', ja: 'ダッシュボード' },
    icon: LayoutDashboard,
    keys: 'g d',
    tab: { place: 3, name: { en: 'Dashboard', ja: '状況' } },
  },
  {
    to: '/settings',
    name: { en: 'Settings', ja: '設定' },
    icon: Settings,
    keys: 'g s',
    tab: { place: 4 },
  },
];

const root = createRootRoute({
  component: () => <Shell pages={NAV_PAGES} />,
  notFoundComponent: NotFound,
  errorComponent: Broken,
});

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Start,
  loader: preloadStart,
});

const newSession = createRoute({
  getParentRoute: () => root,
  path: '/new',
  component: lazyRouteComponent(
    () => loadPatiently(withRest(() => import('./new-session/new-session.tsx'))),
    'NewSession',
  ),
});

const session = createRoute({
  getParentRoute: () => root,
  path: '/s/$id',
  /** `event`: the seq of an event to show, from a permalink. */
  validateSearch: (search: Record<string, unknown>): { event?: number } => {
    const event = Number(search['event']);
    return Number.isInteger(event) && event > 0 ? { event } : {};
  },
  component: lazyRouteComponent(
    () => loadPatiently(() => import('./conversation/conversation.tsx')),
    'Conversation',
  ),
});

const detail = createRoute({
  getParentRoute: () => root,
  path: '/s/$id/detail',
  component: lazyRouteComponent(
    () => loadPatiently(withRest(() => import('./session-detail/session-detail.tsx'))),
    'Detail',
  ),
});

const inbox = createRoute({
  getParentRoute: () => root,
  path: '/inbox',
  component: lazyRouteComponent(
    () => loadPatiently(() => import('./approvals/inbox.tsx')),
    'Inbox',
  ),
});

const dashboard = createRoute({
  getParentRoute: () => root,
  path: '/dashboard',
  /** `runs`: which runs are listed. */
  validateSearch: (search: Record<string, unknown>): { runs?: RunGroup } =>
    isRunGroup(search['runs']) ? { runs: search['runs'] } : {},
  component: lazyRouteComponent(
    () => loadPatiently(withRest(() => import('./dashboard/dashboard.tsx'))),
    'Dashboard',
  ),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(
    () => loadPatiently(withRest(() => import('./settings/settings.tsx'))),
    'Settings',
  ),
});

const settingsSection = createRoute({
  getParentRoute: () => root,
  path: '/settings/$section',
  component: lazyRouteComponent(
    () => loadPatiently(withRest(() => import('./settings/settings.tsx'))),
    'Settings',
  ),
});

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    newSession,
    session,
    detail,
    inbox,
    dashboard,
    settings,
    settingsSection,
  ]),
  defaultPreload: 'intent',
  // If a page fails, the shell around it stays.
  defaultErrorComponent: Broken,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
