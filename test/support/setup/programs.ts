import { inject } from 'vitest';

/*
 * Runs with every test file: Node programs that tests start get these options (bundles.ts) instead of
 * those of the user who runs the tests.
 */
process.env['NODE_OPTIONS'] = inject('nodeOptions');
