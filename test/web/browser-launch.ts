import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './browser-install.ts';

export async function launch(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: await chromiumPath(),
    // The sandbox does not work as root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage', ...args],
  });
}
