export const Inbox = () => null;
