import { each, NO_OPTIONS, NO_WORDS, options, type SetEntry } from './set-entry.ts';

/*
 * The commands of `Bash(safe)` that are not read-only, as listed in docs/policy.md: everyday
 * commands whose effects stay on this machine. These commands run only the repository's code: no
 * option may name another program, folder or configuration, and no word may lead out of the
 * workspace.
 */

const INSIDE = { operands: 'inside' } as const;
const TREE = { reads: 'tree' } as const;
const REPOSITORY = { reads: 'repository' } as const;
const SCRIPTS = 'build test lint typecheck types check format'.split(' ');
const product = (heads: string, tails: readonly string[]): string =>
  heads
    .split(', ')
    .flatMap((head) => tails.map((tail) => `${head} ${tail}`))
    .join(', ');

const PYTEST = options(
  '-k= -l -m= -n= -q -r= -s -v -x --collect-only --co --cov --durations --exitfirst --ff --lf ' +
    '--last-failed --maxfail --no-header --quiet --stepwise --tb --verbose',
);
const MYPY = options(
  '-m= -p= -v --check-untyped-defs --exclude --explicit-package-bases --ignore-missing-imports ' +
    '--namespace-packages --no-color-output --no-error-summary --pretty --show-column-numbers ' +
    '--show-error-codes --show-error-context --strict',
);
const CARGO = options(
  '-j= -p= -q -r -v -D= -F= -W= --all --all-features --all-targets --bin --bins --check --doc --exact ' +
    '--example --examples --exclude --features --frozen --ignored --include-ignored --jobs --keep-going --lib ' +
    '--locked --message-format --no-default-features --no-deps --no-fail-fast --no-run --nocapture --offline ' +
    '--package --quiet --release --show-output --test --test-threads --tests --verbose --workspace',
);
const GO = options(
  '-a -bench -benchmem -benchtime -count -cover -covermode -failfast -json -list -n -p -parallel -race -run ' +
    '-short -shuffle -skip -tags -timeout -trimpath -v -x',
);

const RUNNERS: readonly SetEntry[] = [
  ...each(`npm test, npm t, ${product('npm run', SCRIPTS)}`, {
    only: options('-s -w= --if-present --silent --workspace --workspaces'),
    ...INSIDE,
  }),
  ...each(`pnpm test, ${product('pnpm run', SCRIPTS)}`, {
    only: options('-r -s -F= --filter --if-present --recursive --silent'),
    ...INSIDE,
  }),
  ...each(`yarn test, ${product('yarn run', SCRIPTS)}`, {
    only: options('-s --silent'),
    ...INSIDE,
  }),
  {
    words: 'bun test',
    only: options('-t= --bail --coverage --only --test-name-pattern --timeout --todo'),
    ...INSIDE,
  },
  ...each(product('bun run', SCRIPTS), { only: options('--silent'), ...INSIDE }),
  {
    words: 'make',
    only: options('-j= -k -s -B -n'),
    operands: ['all', 'clean', ...SCRIPTS],
  },
];

const CHECKERS: readonly SetEntry[] = [
  {
    words: 'tsc',
    only: options(
      '-b -p= -v --build --diagnostics --incremental --listFiles --noEmit --pretty --project --showConfig ' +
        '--skipLibCheck --strict --traceResolution --version',
    ),
    ...INSIDE,
  },
  {
    words: 'vitest',
    only: options('-t= --bail --coverage --passWithNoTests --run --silent --testNamePattern'),
    ...INSIDE,
  },
  {
    words: 'jest',
    only: options(
      '-b -i -o -t= -u --bail --ci --coverage --findRelatedTests --onlyChanged --passWithNoTests --runInBand ' +
        '--silent --testNamePattern --testPathPattern --updateSnapshot --verbose',
    ),
    ...INSIDE,
  },
  {
    words: 'mocha',
    only: options('-b -g= -t= --bail --exit --grep --recursive --timeout'),
    ...INSIDE,
  },
  {
    words: 'eslint',
    only: options(
      '--cache --ext --fix --max-warnings --no-color --no-error-on-unmatched-pattern --quiet',
    ),
    ...INSIDE,
  },
  {
    words: 'prettier',
    only: options('-c -l -u -w --check --ignore-unknown --list-different --log-level --write'),
    ...INSIDE,
  },
  ...each(product('biome', ['check', 'lint', 'format', 'ci']), {
    only: options(
      '--apply --diagnostic-level --error-on-warnings --fix --max-diagnostics --unsafe --write',
    ),
    ...INSIDE,
  }),
  ...each('pytest, python -m pytest, python3 -m pytest', { only: PYTEST, ...INSIDE }),
  ...each('python -m unittest, python3 -m unittest', {
    only: options('-b -f -k= -q -v'),
    ...INSIDE,
  }),
  ...each('mypy, python -m mypy, python3 -m mypy', { only: MYPY, ...INSIDE }),
  ...each('ruff check, ruff format', {
    only: options(
      '-q --check --diff --fix --ignore --no-fix --quiet --select --show-fixes --statistics --unsafe-fixes',
    ),
    ...INSIDE,
  }),
  { words: 'black', only: options('-l= -q -v -S --check --diff --line-length --quiet'), ...INSIDE },
  ...each('cargo build, cargo test, cargo check, cargo clippy, cargo fmt', {
    only: CARGO,
    ...INSIDE,
  }),
  ...each('go build, go test, go vet, go fmt', { only: GO, wholeWords: true, ...INSIDE }),
  ...each(
    'node --version, node -v, npm --version, npm -v, python --version, python3 --version, cargo --version, ' +
      'rustc --version, go version',
    { only: NO_OPTIONS, operands: NO_WORDS },
  ),
];

/** Without -A and -u, which add everything in the repository. */
const ADD = options('-N -f -n -v --dry-run --force --intent-to-add --no-all --verbose');
/** Without -a, which commits everything in the repository, and -v, which prints staged content. */
const COMMIT = options(
  '-m= -n -q -s --allow-empty --amend --author --date --dry-run --fixup --message --no-edit ' +
    '--no-gpg-sign --no-verify --quiet --signoff',
);
/** Sort orders that make git call gpg. */
const SIGNATURES = ['', '--sort=']
  .flatMap((option) => [option, `${option}-`])
  .flatMap((sign) => [sign, `${sign}v:`, `${sign}version:`])
  .flatMap((kind) => [`${kind}signature`, `${kind}*signature`]);

const GIT: readonly SetEntry[] = [
  {
    words: 'git add',
    only: options(ADD, '-A -u --all --update'),
    reads: 'tree',
    named: ADD,
    readsNamed: 'folders',
    // `:!a` stands for everything in the repository except `a`.
    neverNamed: [':'],
  },
  {
    words: 'git commit',
    only: options(COMMIT, '-a -v --all --verbose'),
    reads: 'tree',
    named: COMMIT,
  },
  // Moving a file into a `.git` fails, but only after git has moved it.
  { words: 'git mv', only: options('-k -n -v --dry-run --verbose'), ...INSIDE },
  {
    words: 'git stash push',
    only: options(
      '-a -k -m= -q -u -S --all --include-untracked --keep-index --message --quiet --staged',
    ),
    ...TREE,
  },
  { words: 'git stash pop', only: options('-q --index --quiet'), ...REPOSITORY },
  {
    words: 'git stash',
    only: options('-a -k -q -u -S --all --include-untracked --keep-index --quiet --staged'),
    operands: NO_WORDS,
    ...TREE,
  },
  { words: 'git init', only: options('-b= -q --bare --initial-branch --quiet'), ...INSIDE },
  {
    words: 'git checkout',
    only: options('-b= -d -q -t --detach --no-track --orphan --ours --quiet --theirs --track'),
    ...REPOSITORY,
  },
  {
    words: 'git switch',
    only: options('-c= -d -q -t --create --detach --no-track --orphan --quiet --track'),
    ...REPOSITORY,
  },
  {
    words: 'git branch',
    only: options(
      '-a -i -l -q -r -t -u= -v --all --contains --list --merged --no-merged --no-track --points-at --quiet ' +
        '--remotes --set-upstream-to --show-current --sort --track --unset-upstream --verbose',
    ),
    neverFirst: SIGNATURES,
  },
  {
    words: 'git tag',
    only: options(
      '-a -i -l -m= -n= --annotate --contains --list --merged --message --no-merged --points-at --sort',
    ),
    neverFirst: SIGNATURES,
  },
  {
    words: 'git merge',
    only: options(
      '-m= -n -q --abort --continue --ff --ff-only --message --no-commit --no-edit --no-ff --no-gpg-sign ' +
        '--no-stat --quiet --quit --squash --stat',
    ),
    ...REPOSITORY,
  },
  ...each('git cherry-pick, git revert', {
    only: options(
      '-m= -n -x --abort --continue --mainline --no-commit --no-edit --no-gpg-sign --quit --skip',
    ),
    ...REPOSITORY,
  }),
];

export const SAFE: readonly SetEntry[] = [
  { words: 'mkdir', only: options('-m= -p -v --mode --parents --verbose'), ...INSIDE },
  { words: 'touch', only: options('-a -c -m --no-create'), ...INSIDE },
  // Given a folder, these commands process everything in it.
  ...[...RUNNERS, ...CHECKERS, ...GIT].map((entry) => ({ reads: 'folders' as const, ...entry })),
];
