import { reconcileSteers, releaseSteers } from './requeue.ts';
import { markSteer, steerMessage } from './steer.ts';

/** The operations on messages for agents at work that write, by name; see ../../all.ts. */
export const STEER_OPERATIONS = { steerMessage, markSteer, releaseSteers, reconcileSteers };
