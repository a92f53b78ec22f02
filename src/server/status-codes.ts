/** Their names. To import `node:http` would load all of `fetch` too, a tenth of what a start takes. */
export const { STATUS_CODES } = process.getBuiltinModule('node:http');
