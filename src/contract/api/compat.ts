import { schedulerEndpoints } from './compat-scheduler.ts';
import { webEndpoints } from './compat-web.ts';

/** Routes that programs of the source documents know (H8); docs/compat.md compares them. */
export const compatEndpoints = { ...schedulerEndpoints, ...webEndpoints };
