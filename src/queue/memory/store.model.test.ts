import { DEPTH } from '../../../test/depth.ts';
import { storeModel } from '../store.model.ts';
import { memoryStore } from './store.ts';

storeModel('memory', async (clock) => memoryStore({ clock }), { numRuns: 75 * DEPTH });
