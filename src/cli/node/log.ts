import process, { stderr } from 'node:process';
import { type DestinationStream, type Logger, pino } from 'pino';
import { plainLine, plainText } from '../output/terminal-filter.ts';
import { LogWriter } from './log-writer.ts';

/**
 * Logs JSON, or readable lines on a terminal, to stderr, because stdout carries the ready line.
 * Each line of JSON passes through `mask` first (E8).
 */
export function createLog(
  level: string,
  mask: (line: string) => string,
  to: DestinationStream = standardError(),
): Logger {
  return pino({ level, base: null, hooks: { streamWrite: mask } }, to);
}

function standardError(): DestinationStream {
  // The terminal may be closed, or the disk full: the server continues without its log.
  stderr.on('error', () => {});
  if (stderr.isTTY) return readable((line) => stderr.write(line));
  const writer = LogWriter.to(stderr.fd);
  process.once('exit', () => writer.flush());
  return writer;
}

interface Line {
  level: number;
  time: number;
  msg?: string;
  err?: { stack?: string };
  [field: string]: unknown;
}

/** One short line per entry: time, level if it is not "info", message, fields. */
export function readable(write: (line: string) => void): DestinationStream {
  return {
    write(entry) {
      const { level, time, msg = '', err, ...fields } = JSON.parse(entry) as Line;
      const clock = new Date(time).toTimeString().slice(0, 8);
      const label = level === 30 ? '' : `${colour(level, pino.levels.labels[level] ?? '')} `;
      const rest = Object.entries(fields).map(([name, value]) => {
        const shown = typeof value === 'string' ? value : JSON.stringify(value);
        return ` \x1b[2m${plainLine(name)}=\x1b[22m${plainLine(shown)}`;
      });
      // Much of this text was written by others; even a path may contain codes that move the
      // cursor.
      const stack = err?.stack ? `\n${plainText(err.stack)}` : '';
      write(`\x1b[2m${clock}\x1b[22m ${label}${plainLine(msg)}${rest.join('')}${stack}\n`);
    },
  };
}

function colour(level: number, text: string): string {
  if (level >= 50) return `\x1b[31m${text}\x1b[39m`;
  return level === 40 ? `\x1b[33m${text}\x1b[39m` : `\x1b[2m${text}\x1b[22m`;
}
