/* The named sets of commands, `Bash(read-only)` and `Bash(safe)`: what docs/policy.md prints. */

export type CommandSet = 'read-only' | 'safe';

export interface SetEntry {
  /** The first words of the command. */
  readonly words: string;
  /** Options that take it out of the set, also as abbreviations and among other letters (`-ro`). */
  readonly except?: readonly string[];
  /** The only options it may have. */
  readonly only?: readonly string[];
  /** The only words besides options it may have. */
  readonly operands?: readonly string[];
}

const each = (names: string, rest: Omit<SetEntry, 'words'> = {}): SetEntry[] =>
  names.split(', ').map((words) => ({ words, ...rest }));

/** Options of git's commands that write a file or run a program. */
const GIT_RUNS = ['--output', '--ext-diff', '--textconv', '--filters'];
const NONE: readonly string[] = [];

/**
 * They cannot write a file, run another program or send anything. Not among them is printf: in some
 * shells it runs what is in `a[$(…)]`, even between quotes.
 */
export const READ_ONLY: readonly SetEntry[] = [
  ...each(
    'ls, cat, head, tail, wc, grep, egrep, fgrep, pwd, echo, true, false, which, whereis, stat, du, df, ' +
      'basename, dirname, realpath, readlink, id, whoami, uname, nl, cut, tr, comm, cmp, md5sum, sha1sum, ' +
      'sha256sum, od, hexdump, strings, ps',
  ),
  { words: 'diff', except: ['-l', '--paginate'] },
  { words: 'rg', except: ['--pre', '--hostname-bin', '-z', '--search-zip'] },
  {
    words: 'sort',
    except: ['-o', '--output', '-T', '--temporary-directory', '--compress-program'],
  },
  { words: 'tree', except: ['-o', '--output', '-R'] },
  {
    words: 'find',
    except: '-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls'.split(' '),
  },
  ...each(
    'git log, git diff, git show, git shortlog, git blame, git cat-file, git rev-list, git stash list',
    { except: GIT_RUNS },
  ),
  ...each(
    'git status, git rev-parse, git describe, git ls-files, git ls-tree, git merge-base, git name-rev, ' +
      'git count-objects, git worktree list, git remote get-url',
  ),
  { words: 'git grep', except: ['-O', '--open-files-in-pager', '--ext-grep', '--textconv'] },
  {
    words: 'git branch',
    only: '-a --all -r --remotes -v -vv --verbose --show-current'.split(' '),
    operands: NONE,
  },
  {
    words: 'git branch --list',
    only: '-a --all -r --remotes -v -vv --verbose'.split(' '),
  },
  { words: 'git tag', only: NONE, operands: NONE },
  ...each('git tag --list, git tag -l', { only: ['-n'] }),
  { words: 'git remote', only: ['-v', '--verbose'], operands: NONE },
  { words: 'git reflog', only: NONE, operands: NONE },
  ...each('git config --get, git config --list', { only: NONE }),
  ...each(
    'git --version, node --version, node -v, npm --version, npm -v, python --version, python3 --version, ' +
      'cargo --version, rustc --version, tsc --version, go version',
    { only: NONE, operands: NONE },
  ),
];

const SCRIPTS = 'build test lint typecheck types check format'.split(' ');
const product = (heads: string, tails: readonly string[]): string =>
  heads
    .split(', ')
    .flatMap((head) => tails.map((tail) => `${head} ${tail}`))
    .join(', ');

/** Besides the read-only ones: what a developer runs all day and what stays on this machine. */
export const SAFE: readonly SetEntry[] = [
  ...each('mkdir, touch'),
  ...each('npm test, npm t, pnpm test, yarn test, bun test', { except: ['--script-shell'] }),
  ...each(product('npm run, pnpm run, yarn run, bun run', SCRIPTS), { except: ['--script-shell'] }),
  ...each('tsc, vitest, jest, mocha, eslint, prettier, biome, pytest, ruff, mypy, black'),
  ...each(product('python -m, python3 -m', ['pytest', 'unittest', 'mypy'])),
  ...each('cargo build, cargo test, cargo check, cargo clippy, cargo fmt', {
    except: ['--config'],
  }),
  ...each('go build, go test, go vet, go fmt', { except: ['-exec', '-toolexec', '-vettool'] }),
  {
    words: 'make',
    only: '-j -k -s -B -n -j2 -j4 -j8'.split(' '),
    operands: ['all', 'clean', ...SCRIPTS],
  },
  ...each('git add, git commit, git mv, git stash push, git stash pop'),
  { words: 'git init', except: ['--template'] },
  { words: 'git stash', operands: NONE },
  ...each('git checkout, git switch', { except: ['-f', '--force', '--discard-changes'] }),
  {
    words: 'git branch',
    except: '-d -D --delete -f --force -M -C -m --move --edit-description'.split(' '),
  },
  { words: 'git tag', except: ['-d', '--delete', '-f', '--force'] },
  ...each('git merge, git cherry-pick, git revert', { except: ['-s', '--strategy'] }),
];

export const isCommandSet = (name: string): name is CommandSet =>
  name === 'read-only' || name === 'safe';

/** Whether the words of a plain command are in the set. */
export function inSet(set: CommandSet, words: readonly string[]): boolean {
  // The one option before git's command that is common and harmless.
  const quiet = words[0] === 'git' && words[1] === '--no-pager';
  const seen = quiet ? ['git', ...words.slice(2)] : words;
  const has = (entries: readonly SetEntry[]): boolean => entries.some((entry) => isOf(entry, seen));
  return has(READ_ONLY) || (set === 'safe' && has(SAFE));
}

function isOf(entry: SetEntry, words: readonly string[]): boolean {
  const start = entry.words.split(' ');
  if (!start.every((word, at) => words[at] === word)) return false;
  const rest = words.slice(start.length);
  const end = rest.indexOf('--');
  const before = end === -1 ? rest : rest.slice(0, end);
  const isFlag = (word: string): boolean => word.length > 1 && word.startsWith('-');
  const isAllowed = (option: string): boolean => entry.only!.includes(option);
  if (entry.only && !before.filter(isFlag).every(isAllowed)) return false;
  // Also behind `--`: it may be the value of an option, and to find it is no end of options at all.
  const flags = rest.filter(isFlag);
  if (entry.except?.some((bad) => flags.some((flag) => isOption(flag, bad)))) return false;
  if (!entry.operands) return true;
  const operands = [
    ...before.filter((word) => word === '-' || !word.startsWith('-')),
    ...(end === -1 ? [] : rest.slice(end + 1)),
  ];
  return operands.every((word) => entry.operands!.includes(word));
}

/** Whether what was written can be taken for the option. */
function isOption(written: string, option: string): boolean {
  const name = written.split('=', 1)[0]!;
  if (option.startsWith('--')) return name.startsWith('--') && option.startsWith(name);
  if (option.length > 2) return name === option || name === `-${option}`;
  return !written.startsWith('--') && written.includes(option[1]!);
}
