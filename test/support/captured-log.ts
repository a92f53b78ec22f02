import type { Logger } from '../../src/queue/logger.ts';

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A logger that keeps its lines. */
export class CapturedLog implements Logger {
  readonly lines: Line[] = [];

  debug(fields: object, message: string): void {
    this.lines.push({ ...fields, level: 'debug', message });
  }

  info(fields: object, message: string): void {
    this.lines.push({ ...fields, level: 'info', message });
  }

  warn(fields: object, message: string): void {
    this.lines.push({ ...fields, level: 'warn', message });
  }

  error(fields: object, message: string): void {
    this.lines.push({ ...fields, level: 'error', message });
  }

  of(message: string): Line[] {
    return this.lines.filter((line) => line.message === message);
  }

  /** The messages about one run, in order. */
  about(runId: string): string[] {
    return this.lines.filter((line) => line.runId === runId).map((line) => line.message);
  }
}
