import { DEPTH } from '../../../test/support/depth.ts';
import { storeModel } from '../conformance/model/store.ts';
import { memoryStore } from './store.ts';

storeModel('memory', async (clock) => memoryStore({ clock }), { numRuns: 75 * DEPTH });
