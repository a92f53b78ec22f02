// `npm run chaos -- queue --seconds N --seed S`: see docs/chaos.md.
import { parseArgs } from 'node:util';
import type { Violation } from './check/evidence.ts';
import { groupBy } from './check/evidence.ts';
import { type ChaosResult, chaos } from './run.ts';

const SHOWN_PER_RULE = 3;
const SHOWN_CHARACTERS = 2000;

const usage = 'usage: npm run chaos -- queue [--seconds N] [--seed S] [--rate R] [--verbose]';

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string' },
      rate: { type: 'string', default: '60' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const [seconds, rate] = [Number(values.seconds), Number(values.rate)];
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const sound = [seconds, rate].every((n) => n > 0) && Number.isInteger(seed);
  if (positionals.length !== 1 || positionals[0] !== 'queue' || !sound) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const result = await chaos({ seconds, seed, rate, say });
  if (values.verbose) for (const output of result.outputs) say(output);
  for (const line of violationLines(result.violations, seed)) say(line);
  say(summaryOf(result, seconds, seed));
  return result.violations.length === 0 ? 0 : 1;
}

function violationLines(violations: readonly Violation[], seed: number): string[] {
  const lines: string[] = [];
  for (const [rule, broken] of groupBy(violations, ({ rule }) => rule)) {
    lines.push(`VIOLATION of ${rule}, ${broken.length} times (seed ${seed})`);
    for (const { evidence } of broken.slice(0, SHOWN_PER_RULE)) {
      lines.push(`  ${evidence.slice(0, SHOWN_CHARACTERS)}`);
    }
  }
  return lines;
}

const summaryOf = (result: ChaosResult, seconds: number, seed: number): string =>
  `chaos queue: seed ${seed}, ${seconds} s: ${result.runs} runs, ${result.executions} executions, ` +
  `${result.events} events; ${result.kills} kills, ${result.stops} stops, ${result.restarts} restarts, ` +
  `${result.terminated} connections terminated, ${result.deafened} listeners cut; ` +
  `drained in ${(result.drainedMs / 1000).toFixed(1)} s; ${result.violations.length} violations`;

process.exitCode = await main();
