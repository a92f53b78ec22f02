import { type Browser, chromium } from 'playwright-core';
import { chromiumPath } from './browser-install.ts';

export async function launch(args: readonly string[] = []): Promise<Browser> {
  return await chromium.launch({
    executablePath: await chromiumPath(),
    // Its sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: ['--disable-dev-shm-usage', ...args],
  });
}
