/* The tools of Claude Code that are known: one table for rules (P1) and for retries (Q16). */

/** What having run once means for running again. */
export type ToolKind = 'reading' | 'writing' | 'unrepeatable';

/** What a specifier of the tool is about. */
export type Subject = 'command' | 'file' | 'folder' | 'url' | 'agent';

export interface Tool {
  /** Of a command it is the least it can be. */
  readonly kind: ToolKind;
  readonly subject?: Subject;
  /** Rules for these tools count for it too. */
  readonly alsoAs?: readonly string[];
  /** What its input means is up to a server. */
  readonly isOpen?: true;
}

const READ: readonly string[] = ['Read'];
const EDIT: readonly string[] = ['Edit'];

export const TOOLS: ReadonlyMap<string, Tool> = new Map<string, Tool>([
  ['Bash', { kind: 'reading', subject: 'command' }],
  ['Monitor', { kind: 'reading', subject: 'command', alsoAs: ['Bash'] }],
  ['Read', { kind: 'reading', subject: 'file' }],
  ['NotebookRead', { kind: 'reading', subject: 'file', alsoAs: READ }],
  ['Grep', { kind: 'reading', subject: 'folder', alsoAs: READ }],
  ['Glob', { kind: 'reading', subject: 'folder', alsoAs: READ }],
  ['LS', { kind: 'reading', subject: 'folder', alsoAs: READ }],
  ['Edit', { kind: 'writing', subject: 'file' }],
  ['MultiEdit', { kind: 'writing', subject: 'file', alsoAs: EDIT }],
  ['NotebookEdit', { kind: 'writing', subject: 'file', alsoAs: EDIT }],
  ['Write', { kind: 'writing', subject: 'file', alsoAs: EDIT }],
  // They fetch with GET, which may be done twice.
  ['WebFetch', { kind: 'reading', subject: 'url' }],
  ['WebSearch', { kind: 'reading' }],
  // Its own calls are judged one by one.
  ['Task', { kind: 'writing', subject: 'agent', alsoAs: ['Agent'] }],
  ['Agent', { kind: 'writing', subject: 'agent', alsoAs: ['Task'] }],
  ['Skill', { kind: 'reading' }],
  ['ToolSearch', { kind: 'reading' }],
  ['ListAgents', { kind: 'reading' }],
  ['ListMcpResourcesTool', { kind: 'reading' }],
  ['ReadMcpResourceTool', { kind: 'reading', isOpen: true }],
  ['AskUserQuestion', { kind: 'reading' }],
  ['ExitPlanMode', { kind: 'reading' }],
  ['EnterPlanMode', { kind: 'reading' }],
  ['TodoWrite', { kind: 'reading' }],
  ['TaskCreate', { kind: 'reading' }],
  ['TaskGet', { kind: 'reading' }],
  ['TaskList', { kind: 'reading' }],
  ['TaskUpdate', { kind: 'reading' }],
  ['TaskOutput', { kind: 'reading' }],
  ['BashOutput', { kind: 'reading' }],
  ['CronList', { kind: 'reading' }],
  ['ReportFindings', { kind: 'reading' }],
  ['TaskStop', { kind: 'writing' }],
  ['KillShell', { kind: 'writing' }],
  ['EnterWorktree', { kind: 'writing' }],
  ['ExitWorktree', { kind: 'writing' }],
]);

/** A tool whose input may name a file, or be a command, anywhere. */
export const isOpenTool = (name: string): boolean => TOOLS.get(name)?.isOpen ?? !TOOLS.has(name);

/** Questions to the person: only the person answers them. */
export const QUESTIONS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** Commands that others see, or that do something again when run again; as in `Bash(…)` of a deny rule. */
export const UNREPEATABLE: readonly string[] = [
  'git push',
  'git send-email',
  ...['npm', 'pnpm', 'yarn npm', 'bun', 'cargo', 'poetry', 'uv', 'flit', 'hatch'].map(
    (tool) => `${tool} publish`,
  ),
  ...['publish', 'release', 'deploy'].flatMap((name) =>
    [
      'npm run',
      'pnpm run',
      'yarn run',
      'yarn',
      'bun run',
      'make',
      'gradle',
      './gradlew',
      'mvn',
    ].map((tool) => `${tool} ${name}`),
  ),
  'npm unpublish',
  'npm deprecate',
  'npm dist-tag',
  'cargo yank',
  'gem push',
  'twine upload',
  'docker push',
  'docker buildx build --push',
  'podman push',
  'helm push',
  'helm install',
  'helm upgrade',
  'gh',
  'glab',
  ...['apply', 'create', 'delete', 'replace', 'patch', 'scale', 'rollout', 'exec', 'run'].map(
    (verb) => `kubectl ${verb}`,
  ),
  'terraform apply',
  'terraform destroy',
  'tofu apply',
  'pulumi up',
  'aws',
  'gcloud',
  'az',
  'heroku',
  'fly',
  'flyctl',
  'vercel',
  'netlify',
  'firebase',
  'wrangler',
  'serverless',
  ...['-X', '--request', '-d', '--data', '-F', '--form', '-T', '--upload-file', '--json'].map(
    (option) => `curl ${option}`,
  ),
  ...['--data-raw', '--data-binary', '--data-urlencode', '--form-string'].map(
    (option) => `curl ${option}`,
  ),
  'wget --post-data',
  'wget --post-file',
  'wget --method',
  'ssh',
  'scp',
  'sftp',
  'rsync',
  'mail',
  'sendmail',
  'psql',
  'mysql',
  'mongosh',
  'redis-cli',
];
