// @ts-expect-error: JavaScript, like all of the launcher
import { buildWeb } from '../../../bin/web.mjs';

/** Builds the web app: servers of tests start without the launcher, which would do it. */
export default (): Promise<void> => buildWeb(process.execPath, 130);
