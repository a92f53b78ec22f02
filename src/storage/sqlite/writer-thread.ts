import { parentPort, workerData } from 'node:worker_threads';
import { serveWriter } from './serve-writer.ts';

await serveWriter(parentPort!, (workerData as { path: string }).path);
