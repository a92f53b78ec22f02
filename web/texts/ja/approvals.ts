import type { Texts } from '../en/all.ts';

export const approvals: Texts['approvals'] = {};
