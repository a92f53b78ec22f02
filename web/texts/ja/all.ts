import type { Texts } from '../en/all.ts';
import { approvals } from './approvals.ts';
import { common } from './common.ts';
import { conversation } from './conversation.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';

export const ja: Texts = {
  approvals,
  common,
  conversation,
  dashboard,
  detail,
  newSession,
  settings,
  shell,
};
