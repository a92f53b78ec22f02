import type { Texts } from '../en/all.ts';

export const dashboard: Texts['dashboard'] = {};
