import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Command, Part } from './parts.ts';
import type { CommandResult, PartResult } from './report.ts';

/** How many of a command's last lines the report shows. */
const SUMMARY_LINES = 25;
/** How often a line says that a command is still running. */
const PROGRESS_MS = 60_000;

export interface RunnerOptions {
  readonly root: string;
  /** The directory for the logs. */
  readonly out: string;
  readonly say: (line: string) => void;
}

/** Runs the commands of a soak one after the other. */
export class Runner {
  readonly #options: RunnerOptions;
  #child: ChildProcess | null = null;
  isStopped = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Ends the command in progress; the parts after it do not run. */
  stop(): void {
    this.isStopped = true;
    this.#child?.kill('SIGTERM');
  }

  /** Stops at the first command that fails, because a report of one fault is enough to begin with. */
  async run(
    name: string,
    part: Part,
    { seed, minutes }: { readonly seed: number; readonly minutes: number },
  ): Promise<PartResult> {
    const { say } = this.#options;
    const start = performance.now();
    const commands: CommandResult[] = [];
    const isOver = (): boolean => this.isStopped || commands.some(({ exitCode }) => exitCode !== 0);
    const hasTime = (): boolean => performance.now() - start < minutes * 60_000;
    say(`${name}: ${part.about}`);
    for (let round = 0; !isOver() && (round === 0 || (part.repeats && hasTime())); round++) {
      for (const command of part.round(seed + round, minutes)) {
        if (isOver()) break;
        commands.push(await this.#run(`${name}-${commands.length + 1}.log`, command));
      }
    }
    const outcome = this.isStopped ? 'interrupted' : isOver() ? 'failed' : 'passed';
    const seconds = Math.round((performance.now() - start) / 1000);
    say(`${name}: ${outcome} after ${seconds} s`);
    return { name, about: part.about, outcome, seconds, commands };
  }

  #run(log: string, { args, env = {} }: Command): Promise<CommandResult> {
    const { root, out, say } = this.#options;
    const variables = Object.entries(env).map(([key, value]) => `${key}=${value} `);
    const command = `${variables.join('')}node ${args.join(' ')}`;
    say(`  ${command}`);
    const start = performance.now();
    const secondsSoFar = (): number => Math.round((performance.now() - start) / 1000);
    const file = createWriteStream(join(out, log));
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env, CI: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    let end = '';
    const timer = setInterval(() => say(`  … ${secondsSoFar()} s`), PROGRESS_MS);
    for (const stream of [child.stdout, child.stderr]) {
      stream.pipe(file, { end: false });
      stream.setEncoding('utf8').on('data', (text: string) => {
        end = (end + text).slice(-32_768);
      });
    }
    return new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (exitCode) => {
        clearInterval(timer);
        file.end();
        this.#child = null;
        const lines = stripVTControlCharacters(end).trimEnd().split('\n');
        const summary = lines.slice(-SUMMARY_LINES);
        resolve({ command, exitCode, seconds: secondsSoFar(), summary, log });
      });
    });
  }
}
