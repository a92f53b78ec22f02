import type { Texts } from '../en/all.ts';

export const conversation: Texts['conversation'] = {};
