// The child's end of the lifeline (see handover.mjs), run as a worker thread so that it works
// even while the main thread is busy.
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

const socket = new Socket({ fd: workerData.fd, readable: true, writable: false });
socket.setEncoding('utf8');
let rest = '';
socket.on('data', (chunk) => {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) parentPort?.postMessage(line);
});
socket.on('error', () => {}); // 'close' follows
// The launcher is gone. There is no grace period, because anyone who kills the launcher wants
// nothing left running.
socket.on('close', () => process.kill(process.pid, 'SIGKILL'));
