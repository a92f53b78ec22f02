/** The part of a logger that the queue needs; pino's satisfies it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

const nothing = (): void => {};
export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** A logger that adds the same fields to every line. */
export const withFields = (log: Logger, fields: object): Logger => ({
  debug: (more, message) => log.debug({ ...fields, ...more }, message),
  info: (more, message) => log.info({ ...fields, ...more }, message),
  warn: (more, message) => log.warn({ ...fields, ...more }, message),
  error: (more, message) => log.error({ ...fields, ...more }, message),
});
