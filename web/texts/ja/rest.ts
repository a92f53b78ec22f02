import type { Rest } from '../en/all.ts';
import { agents } from './agents.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';

export const rest: Rest = { agents, dashboard, detail, newSession, settings };
