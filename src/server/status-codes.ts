/** Not imported from `node:http`: that would also load all of `fetch`, a tenth of the time of a start. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http');
