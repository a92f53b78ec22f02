import { setFlagsFromString } from 'node:v8';

/**
 * Collects garbage once it amounts to a quarter of the memory in use, instead of several times as
 * much. While an agent prints 200 MB, the server then grows by 44 MB instead of 150, at the cost of
 * a third more processor time. Call it only once a server is ready; otherwise, startup would take a
 * third longer.
 */
export const keepMemorySmall = (): void => setFlagsFromString('--heap-growing-percent=25');
