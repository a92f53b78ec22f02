export const detail = {};
