// `npm run soak [-- <part>…] [--minutes N] [--seed S] [--out <directory>]`: see CONTRIBUTING.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { PARTS } from './parts.ts';
import type { PartResult, Report } from './report.ts';
import { reportPage } from './report.ts';
import { Runner } from './runner.ts';

const root = resolve(import.meta.dirname, '../..');
const names = Object.keys(PARTS);
const usage = `usage: npm run soak [-- <part>…] [--minutes N] [--seed S] [--out <directory>]
Without a part, all of them run. --minutes is for each part that can run for any time (5 by default).

${Object.entries(PARTS)
  .map(([name, { about }]) => `  ${name.padEnd(14)} ${about}`)
  .join('\n')}
`;

process.exitCode = await main();

function parse() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        minutes: { type: 'string', default: '5' },
        seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
        out: { type: 'string', default: join(root, 'soak-report') },
        help: { type: 'boolean', default: false },
      },
    });
    return { ...values, parts: positionals };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function refuse(problem: string): number {
  process.stderr.write(`error: ${problem}\n\n${usage}`);
  return 2;
}

async function main(): Promise<number> {
  const parsed = parse();
  if ('problem' in parsed) return refuse(parsed.problem ?? '');
  if (parsed.help) {
    process.stdout.write(usage);
    return 0;
  }
  const unknown = parsed.parts.find((name) => !names.includes(name));
  if (unknown !== undefined) return refuse(`There is no part "${unknown}".`);
  const minutes = Number(parsed.minutes);
  const seed = Number(parsed.seed);
  if (!(minutes > 0)) return refuse(`--minutes is not a number above 0: ${parsed.minutes}`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    return refuse(`--seed is not a whole number: ${parsed.seed}`);

  const out = resolve(parsed.out);
  mkdirSync(out, { recursive: true });
  const runner = new Runner({ root, out, say: (line) => process.stdout.write(`${line}\n`) });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => runner.stop());
  const about = {
    startedAt: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: root,
      encoding: 'utf8',
    }).trim(),
    seed,
    minutes,
    processors: availableParallelism(),
    node: process.version,
  };
  const parts: PartResult[] = [];
  for (const name of parsed.parts.length > 0 ? [...new Set(parsed.parts)] : names) {
    parts.push(await runner.run(name, PARTS[name]!, { seed, minutes }));
    // Written after each part, in case the machine does not survive the next one.
    write(out, { ...about, parts });
    if (runner.isStopped) break;
  }
  const failed = parts.filter(({ outcome }) => outcome !== 'passed').length;
  process.stdout.write(
    `${parts.length - failed} passed, ${failed} failed; ${join(out, 'report.html')}\n`,
  );
  return failed === 0 ? 0 : 1;
}

function write(out: string, report: Report): void {
  writeFileSync(join(out, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFileSync(join(out, 'report.html'), reportPage(report));
}
