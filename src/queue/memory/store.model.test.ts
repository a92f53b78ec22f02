import { storeModel } from '../store.model.ts';
import { memoryStore } from './store.ts';

storeModel('memory', async (clock) => memoryStore({ clock }));
