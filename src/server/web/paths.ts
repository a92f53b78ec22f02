/** The paths of the web app's pages. `{id}` stands for one path segment. */
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

/** The files of the web app. These files are the same for everyone, so they need no credential. */
export const ASSETS = '/assets/';
/** The asset with the licences of the libraries in the app. */
export const NOTICES = 'notices.txt';
