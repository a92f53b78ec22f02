// `npm run bench -- <name> [--case <case>]… [--rounds N] [--minutes N] [--json]`
import { parseArgs } from 'node:util';
import { benches } from './benches.ts';
import { Resources } from './resources.ts';
import { asJson, asRow, heading } from './result.ts';

const names = Object.keys(benches).join(', ');
const usage = `Usage: npm run bench -- <name> [--case <case>]… [--rounds N] [--minutes N] [--json]\nNames: ${names}`;

const resources = new Resources();
let closing: Promise<void> | null = null;
const close = (): Promise<void> => {
  closing ??= resources.close();
  return closing;
};
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void close().finally(() => process.exit(130)));
}

try {
  await main();
} catch (error) {
  // Ignore errors during the shutdown.
  if (closing === null) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
await close();
// After an error, connections may still be open.
process.exit();

function parse() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        case: { type: 'string', multiple: true },
        rounds: { type: 'string', default: '3' },
        minutes: { type: 'string', default: '10' },
        json: { type: 'boolean', default: false },
      },
    });
  } catch {
    // An unknown flag; the caller prints the usage.
    return null;
  }
}

async function main(): Promise<void> {
  const parsed = parse();
  if (parsed === null) return refuse(usage);
  const { positionals, values } = parsed;
  const [name, ...more] = positionals;
  const cases = name === undefined ? undefined : benches[name];
  const rounds = Number(values.rounds);
  const minutes = Number(values.minutes);
  const isRight = more.length === 0 && rounds >= 1 && minutes > 0;
  if (name === undefined || cases === undefined || !isRight) {
    return refuse(usage);
  }
  const wanted = values.case?.flatMap((one) => one.split(',')) ?? Object.keys(cases);
  const unknown = wanted.find((one) => cases[one] === undefined);
  if (unknown !== undefined) {
    return refuse(`No case "${unknown}". Cases of ${name}: ${Object.keys(cases).join(', ')}`);
  }
  const print = (text: string): void => void process.stdout.write(`${text}\n`);
  if (!values.json) print(heading());
  for (const one of wanted) {
    await cases[one]!({
      resources,
      rounds,
      minutes,
      report: (figure) => {
        const result = { bench: name, case: one, ...figure };
        print(values.json ? asJson(result) : asRow(result));
      },
    });
  }
}

function refuse(text: string): void {
  process.stderr.write(`${text}\n`);
  process.exitCode = 2;
}
