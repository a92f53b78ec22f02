import { each, NO_OPTIONS, NO_WORDS, options, type SetEntry } from './set-entry.ts';

/*
 * The commands of `Bash(read-only)`, as listed in docs/policy.md. These commands cannot write a
 * file, run another program or send anything. If a program has an option that does any of these,
 * it is listed with its allowed options, so a new option requires approval. Not included:
 * - programs that a version manager puts on the PATH (node, python, cargo, …): a file in the directory
 *   decides what they run, even for `--version`;
 * - printf: in some shells it runs the command in `a[$(…)]`, even in quotes.
 */

const NAMES = { reads: 'names' } as const;
const TREE = { reads: 'tree' } as const;

/** Without the options that search whole folders. */
const GREP = options(
  '-a -b -c -e= -f= -h -i -l -m= -n -o -q -s -v -w -x -y -z -A= -B= -C= -E -F -G -H -I -L -P -T -U -Z ' +
    '--after-context --before-context --context --count --color --colour --extended-regexp --file ' +
    '--files-with-matches --files-without-match --fixed-strings --ignore-case --invert-match ' +
    '--line-number --max-count --no-filename --no-messages --null --only-matching --perl-regexp ' +
    '--quiet --regexp --text --with-filename --word-regexp',
);

/**
 * In Claude Code's shell, grep is ugrep. ugrep has options that run programs or read lists of
 * options, and it searches folders even without -r (with -2, two levels deep). Options that follow
 * links are excluded, because links may lead anywhere.
 */
const GREP_ALL = options(
  GREP,
  '-r -u --basic-regexp --binary --binary-files --byte-offset --exclude --exclude-dir --include --initial-tab --label --line-buffered --line-regexp ' +
    '--no-ignore-case --null-data --recursive --silent',
);

const RG = options(
  '-c -d= -e= -g= -h -i -l -m= -n -o -p -q -s -t= -u -v -w -x -A= -B= -C= -F -H -I -M= -N -P -S -T= -U -0 ' +
    '-. -NUM --after-context --before-context --case-sensitive --color --column --context --count ' +
    '--count-matches --files --files-with-matches --files-without-match --fixed-strings --glob ' +
    '--heading --hidden --iglob --ignore-case --invert-match --json --line-number --line-regexp ' +
    '--max-columns --max-count --max-depth --multiline --multiline-dotall --no-filename --no-heading ' +
    '--no-ignore --no-ignore-vcs --no-line-number --no-messages --null --only-matching --passthru --pcre2 ' +
    '--pretty --quiet --regexp --replace -r= --smart-case --sort --sortr --stats --trim --type ' +
    '--type-list --type-not --unrestricted --vimgrep --with-filename --word-regexp',
);

const SORT = options(
  '-b -c -d -f -g -h -i -k= -m -n -r -s -t= -u -z -C -M -R -V --check --field-separator ' +
    '--general-numeric-sort --human-numeric-sort --ignore-case --ignore-leading-blanks --key --month-sort ' +
    '--numeric-sort --random-sort --reverse --stable --unique --version-sort --zero-terminated',
);

/** Without the options that read names or patterns from a file. */
const DU = options(
  '-a -b -c -d= -h -k -l -m -s -t= -x -B= -D -H -L -P -S -0 --all --apparent-size --block-size --bytes ' +
    '--count-links --dereference --dereference-args --exclude --human-readable --inodes --max-depth ' +
    '--no-dereference --null --one-file-system --separate-dirs --si --summarize --threshold --time ' +
    '--time-style --total',
);
const WC = options('-c -l -m -w -L --bytes --chars --lines --max-line-length --total --words');
const SUMS = options('-b -t -z --binary --tag --text --zero');
const STRINGS = options(
  '-a -d -e= -f -n= -o -s= -t= -w -NUM --all --bytes --data --encoding --include-all-whitespace ' +
    '--output-separator --print-file-name --radix',
);

/** The value of -I, -L and -P is the next word; letters directly after them are options. */
const TREE_OPTIONS = options(
  '-a -d -f -g -h -i -l -n -p -r -s -t -u -v -x -A -C -D -F -I -J -L -N -P -S -X --dirsfirst --du ' +
    '--filelimit --gitignore --noreport --prune',
);

const FIND = options(
  '-H -L -P -a -amin -and -anewer -atime -cmin -cnewer -ctime -daystart -depth -empty -executable -false ' +
    '-follow -group -iname -inum -ipath -iregex -links -ls -maxdepth -mindepth -mmin -mount -mtime -name ' +
    '-newer -nogroup -not -nouser -o -or -path -perm -print -print0 -printf -prune -quit -readable -regex ' +
    '-regextype -samefile -size -true -type -user -wholename -writable -xdev',
);

/** Options that select commits and show them without file contents. */
const LOG = options(
  '-NUM -n= -g -i -E -F -P --abbrev --abbrev-commit --after --all --all-match --ancestry-path --author ' +
    '--author-date-order --before --boundary --branches --cherry --cherry-mark --cherry-pick --children ' +
    '--color --committer --date --date-order --decorate --first-parent --follow --format --full-history ' +
    '--graph --grep --invert-grep --left-right --max-count --merges --no-abbrev-commit --no-color ' +
    '--no-decorate --no-merges --no-notes --no-walk --not --oneline --parents --pretty ' +
    '--regexp-ignore-case --relative-date --remotes --reverse --simplify-by-decoration --since --skip ' +
    '--source --tags --topo-order --until --walk-reflogs -s --no-patch --name-only --name-status --stat ' +
    '--shortstat --numstat --summary --dirstat --compact-summary --diff-filter --no-renames',
);
/** Options that show file contents. */
const PATCH = options(
  '-a -b -c -m -p -u -w -z -C= -G= -L= -M= -R -S= -U= -W --binary --cc --check --color-words ' +
    '--diff-algorithm --exit-code --find-copies --find-renames --full-index --function-context --histogram ' +
    '--ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-space-change --minimal ' +
    '--no-ext-diff --no-textconv --patch --patience --pickaxe-all --pickaxe-regex --raw --relative --text ' +
    '--unified --word-diff --word-diff-regex',
);
/** Without -v, which prints staged content. */
const STATUS = options(
  '-b -s -u= -z --ahead-behind --branch --ignored --long --porcelain --short --show-stash --untracked-files',
);
/** Formats that make git call gpg. */
const SIGNATURES = ['%G', '%+G', '%-G', '% G'];

export const READ_ONLY: readonly SetEntry[] = [
  ...each(
    'ls, pwd, echo, true, false, which, whereis, stat, df, basename, dirname, realpath, readlink, id, ' +
      'whoami, uname',
    NAMES,
  ),
  { words: 'du', only: DU, ...NAMES },
  ...each('cat, head, tail, nl, cut, tr, comm, cmp, od, hexdump'),
  { words: 'wc', only: WC },
  ...each('md5sum, sha1sum, sha256sum', { only: SUMS }),
  // `strings` replaces `@list` with the words in the file `list`.
  { words: 'strings', only: STRINGS, neverFirst: ['@'] },
  ...each('grep, egrep, fgrep', { only: GREP_ALL, ...TREE, named: GREP, readsNamed: 'folders' }),
  { words: 'rg', only: RG, ...TREE },
  { words: 'sort', only: SORT },
  { words: 'tree', only: TREE_OPTIONS, ...NAMES },
  { words: 'find', only: FIND, wholeWords: true, ...NAMES },
  // Without `e`, which shows the environments of processes, and without `-u`, because if there is
  // no user `xe`, `-uxe` is read as `uxe`.
  {
    words: 'ps',
    only: options('-e -f -l -p= -A -H --forest'),
    operands: 'a x u f ax aux auxf auxww'.split(' '),
    ...NAMES,
  },
  ...each('git log, git stash list', {
    only: options(LOG, PATCH),
    never: SIGNATURES,
    ...TREE,
    named: LOG,
  }),
  { words: 'git show', only: options(LOG, PATCH), never: SIGNATURES, ...TREE },
  {
    words: 'git diff',
    only: options(
      PATCH,
      '-s --abbrev --cached --color --compact-summary --diff-filter --dirstat --merge-base --name-only ' +
        '--name-status --no-color --no-patch --no-renames --numstat --quiet --shortstat --staged --stat ' +
        '--summary',
    ),
    ...TREE,
  },
  {
    words: 'git rev-list',
    only: options(LOG, '--count --objects'),
    never: SIGNATURES,
    ...NAMES,
  },
  {
    words: 'git shortlog',
    only: options(
      '-c -e -n -s --all --author --committer --email --group --no-merges --numbered --since --summary --until',
    ),
    never: SIGNATURES,
    ...NAMES,
  },
  {
    words: 'git blame',
    only: options(
      '-b -c -e -f -l -n -s -t -w -C= -L= -M= --abbrev --date --first-parent --line-porcelain --porcelain ' +
        '--root --show-email --show-name --show-number --since',
    ),
    ...TREE,
  },
  { words: 'git cat-file', only: options('-e -p -s -t'), ...TREE },
  {
    words: 'git grep',
    only: options(
      '-a -c -e= -h -i -l -n -o -p -q -v -w -A= -B= -C= -E -F -G -H -I -L -P -W --and --break --cached ' +
        '--color --column --count --files-with-matches --heading --ignore-case --line-number --max-depth ' +
        '--not --or --perl-regexp --recurse-submodules --untracked --word-regexp',
    ),
    ...TREE,
  },
  {
    words: 'git status',
    only: options(STATUS, '-v --verbose'),
    ...TREE,
    named: STATUS,
  },
  {
    words: 'git rev-parse',
    only: options(
      '-q --abbrev-ref --absolute-git-dir --all --branches --git-common-dir --git-dir --is-bare-repository ' +
        '--is-inside-work-tree --is-shallow-repository --quiet --remotes --short --show-cdup --show-prefix ' +
        '--show-superproject-working-tree --show-toplevel --symbolic-full-name --tags --verify',
    ),
    ...NAMES,
  },
  {
    words: 'git describe',
    only: options(
      '--abbrev --all --always --candidates --contains --dirty --exact-match --exclude --first-parent --long ' +
        '--match --tags',
    ),
    ...NAMES,
  },
  {
    words: 'git ls-files',
    only: options(
      '-c -d -i -k -m -o -s -t -u -v -x= -z --cached --deleted --directory --error-unmatch --exclude ' +
        '--exclude-standard --full-name --ignored --killed --modified --others --stage --unmerged',
    ),
    ...NAMES,
  },
  {
    words: 'git ls-tree',
    only: options(
      '-d -l -r -t -z --abbrev --full-name --full-tree --long --name-only --name-status --object-only',
    ),
    ...NAMES,
  },
  {
    words: 'git merge-base',
    only: options('-a --all --fork-point --independent --is-ancestor --octopus'),
    ...NAMES,
  },
  {
    words: 'git name-rev',
    only: options('--all --always --name-only --no-undefined --refs --tags'),
    ...NAMES,
  },
  { words: 'git count-objects', only: options('-v -H --human-readable --verbose'), ...NAMES },
  { words: 'git worktree list', only: options('-v -z --porcelain --verbose'), ...NAMES },
  { words: 'git remote get-url', only: options('--all --push'), ...NAMES },
  {
    words: 'git branch',
    only: options('-a -r -v --all --remotes --show-current --verbose'),
    operands: NO_WORDS,
    ...NAMES,
  },
  { words: 'git branch --list', only: options('-a -r -v --all --remotes --verbose'), ...NAMES },
  { words: 'git tag', only: NO_OPTIONS, operands: NO_WORDS, ...NAMES },
  ...each('git tag --list, git tag -l', { only: options('-n='), ...NAMES }),
  { words: 'git remote', only: options('-v --verbose'), operands: NO_WORDS, ...NAMES },
  ...each('git reflog, git --version', { only: NO_OPTIONS, operands: NO_WORDS, ...NAMES }),
  ...each('git config --get, git config --list', { only: NO_OPTIONS, ...NAMES }),
];
