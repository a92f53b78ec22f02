import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The file to which every command appends when it starts and ends, in the order of time. Whoever is
 * about to break a worker says so there first: from that line on its slots may be others'.
 */
export class Trace {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
  }

  /** Of the worker's processes, or of all workers. */
  cut(pids: readonly number[] | 'all'): void {
    const words = pids === 'all' ? ['all'] : pids;
    appendFileSync(this.path, words.map((pid) => `cut ${pid}\n`).join(''));
  }

  get lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
  }
}
