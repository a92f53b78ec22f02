import { schedulerEndpoints } from './compat-scheduler.ts';
import { webEndpoints } from './compat-web.ts';

/** Routes that clients of the source documents use (H8); docs/compat.md compares them. */
export const compatEndpoints = { ...schedulerEndpoints, ...webEndpoints };
