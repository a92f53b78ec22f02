import { ACCESS } from '../access/access-store.ts';
import { READY, SCHEDULES } from '../queue/hint.ts';

/**
 * Every topic of a hint. To add one: its name beside the port whose writes report it, and here.
 * Subscribe with `onTopic` (queue/hint.ts). Names are keys of a message (postgres/hint-message.ts).
 */
export const TOPICS = [READY, SCHEDULES, ACCESS] as const;

export type Topic = (typeof TOPICS)[number];
