import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * The file to which every command appends its start and end, in chronological order. The fault
 * injector appends a `cut` line before it breaks a worker: from then on its slots may be reused.
 */
export class Trace {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    writeFileSync(path, '');
  }

  /** Records that a worker's processes, or all workers, are about to be broken. */
  cut(pids: readonly number[] | 'all'): void {
    const words = pids === 'all' ? ['all'] : pids;
    appendFileSync(this.path, words.map((pid) => `cut ${pid}\n`).join(''));
  }

  get lines(): string[] {
    return readFileSync(this.path, 'utf8').split('\n').slice(0, -1);
  }
}
