// `npm run chaos -- queue|api|cluster --seconds N --seed S`: see docs/chaos.md.
import { parseArgs } from 'node:util';
import { type ApiChaosResult, apiChaos } from './api/run.ts';
import type { DatabaseKind } from './api/setup.ts';
import type { Violation } from './check/evidence.ts';
import { groupBy } from './check/evidence.ts';
import { type ClusterChaosResult, clusterChaos } from './cluster/run.ts';
import { type ChaosResult, chaos } from './run.ts';

type Result = ChaosResult | ApiChaosResult | ClusterChaosResult;

const SHOWN_PER_RULE = 3;
const SHOWN_CHARACTERS = 2000;

const usage = `usage: npm run chaos -- queue [--seconds N] [--seed S] [--rate R] [--verbose]
       npm run chaos -- api [--database postgres|sqlite] [--seconds N] [--seed S] [--rate R] [--verbose]
       npm run chaos -- cluster [--seconds N | --minutes N] [--sessions N] [--seed S] [--rate R] [--machine-id-appears] [--verbose]`;
/** Default operations of the driver per second. */
const RATES: Record<string, number> = { queue: 60, api: 15, cluster: 12 };

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seconds: { type: 'string' },
      minutes: { type: 'string' },
      seed: { type: 'string' },
      rate: { type: 'string' },
      sessions: { type: 'string' },
      database: { type: 'string', default: 'postgres' },
      'machine-id-appears': { type: 'boolean', default: false },
      verbose: { type: 'boolean', default: false },
    },
  });
  const [what = ''] = positionals;
  const seconds = Number(values.seconds ?? Number(values.minutes ?? 1) * 60);
  const rate = Number(values.rate ?? RATES[what]);
  const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
  const { database, 'machine-id-appears': machineIdAppears } = values;
  const sessions = Number(values.sessions ?? 200);
  const counts = [seed, sessions].every(Number.isInteger);
  const sound = [seconds, rate, sessions].every((n) => n > 0) && counts;
  const known =
    (database === 'postgres' || (database === 'sqlite' && what === 'api')) &&
    (!machineIdAppears || what === 'cluster');
  if (positionals.length !== 1 || !(what in RATES) || !sound || !known) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const options = { seconds, seed, rate, sessions, say, machineIdAppears };
  const [result, summary] = await play(what, { ...options, database });
  if (values.verbose) for (const output of result.outputs) say(output);
  for (const line of violationLines(result.violations, seed)) say(line);
  say(summary);
  return result.violations.length === 0 ? 0 : 1;
}

interface Options {
  readonly seconds: number;
  readonly seed: number;
  readonly rate: number;
  readonly sessions: number;
  readonly say: (line: string) => void;
  readonly database: DatabaseKind;
  readonly machineIdAppears: boolean;
}

function play(what: string, options: Options): Promise<[Result, string]> {
  const { seconds, seed, database } = options;
  switch (what) {
    case 'queue':
      return withSummary(chaos(options), (it) => summaryOf(it, seconds, seed));
    case 'api':
      return withSummary(apiChaos(options), (it) => apiSummaryOf(it, database, seconds, seed));
    default:
      return withSummary(clusterChaos(options), (it) => clusterSummaryOf(it, seconds, seed));
  }
}

async function withSummary<T extends Result>(
  playing: Promise<T>,
  summaryOf: (result: T) => string,
): Promise<[T, string]> {
  const result = await playing;
  return [result, summaryOf(result)];
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

const apiSummaryOf = (
  result: ApiChaosResult,
  database: string,
  seconds: number,
  seed: number,
): string =>
  `chaos api: seed ${seed}, ${seconds} s on ${database}: ${result.sessions} sessions, ${result.runs} runs, ` +
  `${result.executions} executions, ${result.events} events, ${result.connects} connects of readers; ` +
  `${result.kills} kills, ${result.stops} stops, ${result.restarts} restarts of the database; ` +
  `drained in ${(result.drainedMs / 1000).toFixed(1)} s; ${result.violations.length} violations`;

const clusterSummaryOf = (result: ClusterChaosResult, seconds: number, seed: number): string =>
  `chaos cluster: seed ${seed}, ${seconds} s: ${result.sessions} sessions, ${result.runs} runs, ` +
  `${result.executions} executions (${result.mostAtOnce} at once at most), ${result.events} events, ` +
  `${result.connects} connects of readers, ${result.hints} hints, ${result.shares} shares given or taken, ` +
  `${result.probes} strangers, ${result.audited} audit lines, requests by node ${result.taken.join(' + ')}; ` +
  `${result.kills} kills, ${result.restarts} restarts, ${result.pauses} pauses, ` +
  `${result.outages} outages of the database; ` +
  `drained in ${(result.drainedMs / 1000).toFixed(1)} s; ${result.violations.length} violations`;

process.exitCode = await main();
