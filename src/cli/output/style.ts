import type { SessionStatus } from '../../contract/session.ts';

/* Not `util.styleText`, which decides for itself at every call whether there are colours. */

export type Style = (text: string) => string;

const paint =
  (open: number, close: number): Style =>
  (text) =>
    text === '' ? '' : `\x1b[${open}m${text}\x1b[${close}m`;

const colours = {
  dim: paint(2, 22),
  red: paint(31, 39),
  green: paint(32, 39),
  yellow: paint(33, 39),
  blue: paint(34, 39),
};
export type Colours = typeof colours;

const none: Colours = { dim: same, red: same, green: same, yellow: same, blue: same };

function same(text: string): string {
  return text;
}

/** Colours for a terminal that accepts them (https://no-color.org). */
export function coloursFor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): Colours {
  return stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb' ? colours : none;
}

/** The same colours as in the web app. The status is always spelled out as well. */
export function statusStyle(status: SessionStatus, style: Colours): Style {
  const styles: Record<SessionStatus, Style> = {
    PENDING: style.yellow,
    ACTIVE: style.green,
    IDLE: style.dim,
    ERROR: style.red,
    COMPLETED: style.blue,
    TERMINATED: style.red,
  };
  return styles[status];
}
