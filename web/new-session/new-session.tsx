export const NewSession = () => null;
