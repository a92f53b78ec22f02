import type { Texts } from '../en/all.ts';

export const detail: Texts['detail'] = {};
