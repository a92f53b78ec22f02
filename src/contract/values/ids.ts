import { z } from 'zod';

/**
 * The maximum length of a lane, owner, host, type or key: long enough for any id, short enough for
 * an index.
 */
export const NAME_MAX = 200;

const name = (what: string) =>
  z
    .string()
    .min(1, `${what} is empty`)
    .max(NAME_MAX, `${what} is longer than ${NAME_MAX} characters`)
    // PostgreSQL text cannot hold NUL, and control characters in names only hide mistakes.
    .refine((value) => !hasControlCharacter(value), `${what} contains a control character`)
    .refine((value) => value.isWellFormed(), `${what} contains half a surrogate pair`);

export const RunId = name('run id');
export const LaneId = name('lane');
export const NodeId = name('node id');
export const ScheduleId = name('schedule id');
export const OwnerId = z.union([z.literal(''), name('owner')]);
export const HostId = name('host');
/** The human-readable name of a host. Unique, and accepted wherever a host id is. */
export const HostName = name('host');
export const RunType = name('type').regex(
  /^[A-Za-z0-9][A-Za-z0-9_.:-]*$/,
  'type may contain only letters, digits and _ . : -',
);
export const IdempotencyKey = name('idempotency key');

function hasControlCharacter(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

let lastMs = 0;
let counter = 0;
/** The first two groups of an id, which change once a millisecond. */
let prefix = '';

/**
 * A UUIDv7. Ids sort by creation time, and increase within one process even inside a millisecond
 * (the 12 bits after the version are a counter), so a list sorted by id is sorted by age.
 */
export function newId(now: number = Date.now()): string {
  if (now > lastMs) beginMs(now);
  else if (++counter > 0xfff) beginMs(lastMs + 1);
  return `${prefix}-7${hex12(counter)}-${randomTail()}`;
}

function beginMs(ms: number): void {
  lastMs = ms;
  counter = 0;
  const time = ms.toString(16).padStart(12, '0');
  prefix = `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** Twelve bits are three hex digits, so five table lookups make the random part of an id. */
const HEX = Array.from({ length: 0x1000 }, (_, bits) => bits.toString(16).padStart(3, '0'));
const hex12 = (bits: number): string => HEX[bits & 0xfff] as string;

/** The two variant bits, 10, and two random bits. */
const VARIANTS = ['8', '9', 'a', 'b'];

/**
 * Random bytes, filled a page at a time, because asking for 10 bytes costs as much as asking for
 * 4096.
 */
const pool = new Uint16Array(5 * 400);
let used = pool.length;
const draw = (): number => pool[used++] as number;

/** 62 random bits after the variant, in the last two groups of an id. */
function randomTail(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const first = draw();
  const variant = VARIANTS[first >> 14] as string;
  return `${variant}${hex12(first)}-${hex12(draw())}${hex12(draw())}${hex12(draw())}${hex12(draw())}`;
}
