import { createStore, useStore } from '../state/store.ts';
import { language } from '../texts/language.ts';
import { texts, useTexts } from '../texts/texts.ts';

/** The current time for all relative times; one timer for all. */
const clock = createStore(Date.now());
setInterval(() => clock.set(Date.now()), 10_000);
/** The current time, updated every second, for countdowns. */
const seconds = createStore(Date.now());
setInterval(() => seconds.set(Date.now()), 1000);

export const useSeconds = (): number => useStore(seconds);

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

export function relative(time: number, now: number, locale: string): string | null {
  const s = (time - now) / 1000;
  const unit = UNITS.find(([, length]) => Math.abs(s) >= length);
  if (unit === undefined) return null;
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' });
  return format.format(Math.trunc(s / unit[1]), unit[0]);
}

/** Relative time, with the exact time on hover. */
export function Ago({ at, className }: { at: string; className?: string }) {
  const t = useTexts();
  const locale = useStore(language);
  const time = Date.parse(at);
  return (
    <time dateTime={at} title={exactTime(at, locale)} className={className}>
      {relative(time, useStore(clock), locale) ?? t.common.now}
    </time>
  );
}

export const exactTime = (at: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(
    Date.parse(at),
  );

/** `14:30` today, `19 Nov, 14:30` on another day, with the year if it differs. */
export function shortTime(at: string, locale: string, now: Date = new Date()): string {
  const time = new Date(at);
  const isThisYear = time.getFullYear() === now.getFullYear();
  const isToday = time.toDateString() === now.toDateString();
  return new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(!isToday && { day: 'numeric', month: 'short' }),
    ...(!isThisYear && { year: 'numeric' }),
  }).format(time);
}

/** `<0.1 s`, `0.4 s`, `12 s`, `3 min 20 s`, `1 h 05 min`. */
export function duration(ms: number): string {
  const { seconds: inSeconds, minutes, hours } = texts().common.durations;
  if (ms < 100) return inSeconds('<0.1');
  if (ms < 10_000) return inSeconds((ms / 1000).toFixed(1));
  const s = Math.round(ms / 1000);
  if (s < 60) return inSeconds(String(s));
  if (s < 3600) return minutes(Math.floor(s / 60), s % 60);
  return hours(Math.floor(s / 3600), String(Math.floor((s % 3600) / 60)).padStart(2, '0'));
}
