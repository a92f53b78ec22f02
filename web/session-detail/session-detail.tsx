export const Detail = () => null;
