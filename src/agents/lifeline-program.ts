import { rm } from 'node:fs/promises';
import { sweepNode } from './sweep.ts';

/* Run by the shell of lifeline.ts when the server is gone without a word. */

const [installation, node, privateDir = ''] = process.argv.slice(2);
if (installation !== undefined && node !== undefined) await sweepNode({ installation, node });
if (privateDir !== '') await rm(privateDir, { recursive: true, force: true });
