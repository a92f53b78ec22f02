/** Formats a local time of day, with the date if it is not the day of `now`. */
export function clockAt(now: number): (time: number) => string {
  const today = new Date(now).toDateString();
  return (time) => {
    const date = new Date(time);
    const clock = date.toTimeString().slice(0, 8);
    return date.toDateString() === today ? clock : `${dayOf(date)} ${clock}`;
  };
}

const two = (value: number): string => String(value).padStart(2, '0');

const dayOf = (date: Date): string =>
  `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;

/** A name for a session that was not given one: `run-20261115-103000-ab12`. */
export function sessionNameAt(now: number, random: () => number): string {
  const date = new Date(now);
  const day = dayOf(date).replaceAll('-', '');
  const clock = date.toTimeString().slice(0, 8).replaceAll(':', '');
  const tail = Math.floor(random() * 0x10000)
    .toString(16)
    .padStart(4, '0');
  return `run-${day}-${clock}-${tail}`;
}
