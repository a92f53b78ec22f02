import { storeConformance } from '../conformance/store.ts';
import { memoryStore } from './store.ts';

storeConformance('memory', async (clock) => memoryStore({ clock }));
