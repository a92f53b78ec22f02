import { rm } from 'node:fs/promises';
import { sweepNodes } from './sweep.ts';

/* Run by the shell in lifeline.ts when the server has died without saying goodbye. */

const [installation, node, privateDir = ''] = process.argv.slice(2);
if (installation !== undefined && node !== undefined) {
  await sweepNodes({ installation, nodes: new Set([node]) });
}
if (privateDir !== '') await rm(privateDir, { recursive: true, force: true });
