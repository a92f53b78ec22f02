import { approvals } from './approvals.ts';
import { common } from './common.ts';
import { conversation } from './conversation.ts';
import { shell } from './shell.ts';

/** Loaded before the first render. */
export const first = { approvals, common, conversation, shell };
