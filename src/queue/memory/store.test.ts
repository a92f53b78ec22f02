import { storeContract } from '../conformance/store.ts';
import { memoryStore } from './store.ts';

storeContract('memory', async (clock) => memoryStore({ clock }));
