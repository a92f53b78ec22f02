import type { Texts } from '../en/all.ts';

export const newSession: Texts['newSession'] = {};
