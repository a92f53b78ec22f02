/**
 * Not imported from `node:http`: that would also load all of `fetch`, which takes a tenth of the
 * startup time.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http');
