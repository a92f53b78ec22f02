import { shellCall, type ToolCall } from '../../../src/policy/tools/call.ts';
import { decide } from '../../../src/policy/tools/decide.ts';
import { OwnFiles } from '../../../src/policy/tools/own-files.ts';
import type { Case } from '../../benches.ts';
import { now } from '../../measure.ts';

const BYTES = 200_000;
const RULES = 200;
/** The promised limit, in milliseconds. */
const MOST_MS = 100;

const LOCATION = { cwd: '/srv/app', home: '/home/me' };
const OWN = new OwnFiles({ paths: ['/home/me/.baton'], except: ['/home/me/.baton/workspaces'] });

/** Rules of every kind; the commands contain all their words. */
const deny = Array.from({ length: RULES }, (_, i) => {
  const kinds = [
    `Bash(git push --x${i})`,
    `Bash(git sub${i})`,
    `Bash(git * y${i})`,
    `Read(**/a${i}/**/b)`,
    `Bash(rm -rf d${i})`,
    `Edit(./e${i}/**)`,
  ];
  return kinds[i % kinds.length]!;
});
const WORDS = Array.from({ length: RULES }, (_, i) => `sub${i} y${i} --x${i} d${i}`).join(' ');

const filled = (piece: string): string => {
  const start = `${WORDS};`;
  return start + piece.repeat(Math.ceil((BYTES - start.length) / piece.length));
};
const distinct = (make: (i: number) => string): string => {
  let text = '';
  for (let i = 0; text.length < BYTES; i++) text += make(i);
  return text;
};

const COMMANDS: Readonly<Record<string, string>> = {
  words: filled('rm '),
  'a plain command': `grep ${'-e '.repeat(BYTES / 3)}`,
  options: filled('git -x push '),
  parts: filled('git a push b;'),
  quotes: filled('"a" '),
  substitutions: filled('$('),
  'different words': distinct((i) => `w${i} `),
  'different options': `git push ${distinct((i) => `-w${i} `)}`,
  paths: distinct((i) => `a/b${i} `),
  'a long path': filled('../a/'),
  variables: distinct((i) => `$D/s${i}* `),
  'different parts': `cat /;${distinct((i) => `git a${i} push;`)}`,
  'repeated names': `cat /;${distinct((i) => `git a${i}${',b'.repeat(200)};`)}`,
  tildes: filled('~'),
  'open classes': `cat ${'/proc/1/'}${'['.repeat(4000)} ${filled('[')}`,
};

const PATHS: Readonly<Record<string, string>> = {
  'of many names': 'a/'.repeat(BYTES / 2),
  'below a process': `/proc/1/${'a/'.repeat(BYTES / 2)}`,
  'of open classes': `/proc/1/${'['.repeat(BYTES)}`,
  'of combining marks': '\u0301'.repeat(BYTES / 2) + '\u0316'.repeat(BYTES / 2),
};

/** One decision about a command or a path of 200 KB under 200 deny rules, none of which matches. */
export const hostileCommand: Case = async ({ rounds, report }) => {
  const measure = (name: string, callOf: (round: number) => ToolCall): void => {
    const times: number[] = [];
    // A different text each time, because the last one is cached; the first warms up.
    for (let round = 0; round <= 3 * rounds; round++) {
      const call = callOf(round);
      const begun = now();
      decide(call, { channel: 'web', session: { allow: [], ask: [], deny } });
      OWN.judge(call);
      times.push(now() - begun);
    }
    const [value = 0] = times.slice(1).sort((a, b) => a - b);
    report({ metric: `decision, ${name} (at most ${MOST_MS})`, value, unit: 'ms' });
  };
  for (const [name, text] of Object.entries(COMMANDS))
    measure(name, (round) => shellCall(`${text}${' '.repeat(round)}`, LOCATION));
  for (const [name, path] of Object.entries(PATHS))
    measure(`a path ${name}`, (round) => {
      const input = { file_path: `${path}${'b'.repeat(round)}` };
      return { ...LOCATION, tool: 'Read', input };
    });
  const texts = Array.from({ length: 990 }, (_, i) => `cp / -x${i}${',b'.repeat(20)};`);
  measure('texts of an unknown tool', (round) => ({
    tool: 'mcp__a__b',
    input: { texts: [...texts, `${round}`] },
    ...LOCATION,
  }));
};
