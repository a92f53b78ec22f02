/** Made by the build (vite.config.ts). */
declare module 'virtual:operations' {
  export const operations: import('../../src/client/operation.ts').Contract['operations'];
}
