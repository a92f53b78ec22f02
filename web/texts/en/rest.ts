import { agents } from './agents.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';

/** Loaded with the pages that show them. */
export const rest = { agents, dashboard, detail, newSession, settings };
