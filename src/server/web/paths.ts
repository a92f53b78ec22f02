/** What the web app shows, by the path in the address bar. `{id}` stands for one part of a path. */
export const APP_PATHS = [
  '/',
  '/new',
  '/inbox',
  '/dashboard',
  '/s/{id}',
  '/s/{id}/detail',
  '/settings',
  '/settings/{section}',
] as const;

/** The files of the web app: the same for everyone, so no credential is asked for. */
export const ASSETS = '/assets/';
/** Among them, the licences of the libraries in the app. */
export const NOTICES = 'notices.txt';
