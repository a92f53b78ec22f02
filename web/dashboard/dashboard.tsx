export const Dashboard = () => null;
