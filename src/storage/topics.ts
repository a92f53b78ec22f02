import { ACCESS } from '../access/access-store.ts';
import { READY, SCHEDULES } from '../queue/hint.ts';

/**
 * Every topic of a hint. To add a topic, define its name beside the port whose writes report it,
 * and list it here. Subscribe with `onTopic` (queue/hint.ts). Topic names are keys of a message
 * (postgres/hint-message.ts).
 */
export const TOPICS = [READY, SCHEDULES, ACCESS] as const;

export type Topic = (typeof TOPICS)[number];
