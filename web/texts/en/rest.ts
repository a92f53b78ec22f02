import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { settings } from './settings.ts';

/** Loaded with the pages that show them. */
export const rest = { dashboard, detail, settings };
