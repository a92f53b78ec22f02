import type { Rest } from '../en/all.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';

export const rest: Rest = { dashboard, detail, newSession, settings };
