import type { Texts } from '../en/all.ts';

export const settings: Texts['settings'] = {};
