import { rm } from 'node:fs/promises';
import { sweepNode } from './sweep.ts';

/* Run by the shell in lifeline.ts when the server has died without saying goodbye. */

const [installation, node, privateDir = ''] = process.argv.slice(2);
if (installation !== undefined && node !== undefined) await sweepNode({ installation, node });
if (privateDir !== '') await rm(privateDir, { recursive: true, force: true });
