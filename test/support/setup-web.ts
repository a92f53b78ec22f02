// @ts-expect-error: JavaScript, like all of the launcher
import { buildWeb } from '../../bin/web.mjs';

/** The web app as it is in the sources: servers of tests start without the launcher, which builds it. */
export default (): Promise<void> => buildWeb(process.execPath, 130);
