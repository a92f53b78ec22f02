import { inject } from 'vitest';

/*
 * Runs with every test file: what its tests start by Node gets these options (bundles.ts), and none
 * of the person who runs the tests.
 */
process.env['NODE_OPTIONS'] = inject('nodeOptions');
