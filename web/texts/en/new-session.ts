export const newSession = {};
