import type { First } from '../en/all.ts';
import { approvals } from './approvals.ts';
import { common } from './common.ts';
import { conversation } from './conversation.ts';
import { shell } from './shell.ts';

export const first: First = { approvals, common, conversation, shell };
