/* Claude Code's known tools: one table for rules (P1) and retries (Q16). */

/** Whether a call that has already run may be repeated. */
export type ToolKind = 'reading' | 'writing' | 'unrepeatable';

/** What a specifier in a rule for the tool refers to. */
export type Subject = 'command' | 'file' | 'folder' | 'url' | 'agent';

export interface Tool {
  /** If the tool runs commands, the least harmful kind that a command can have. */
  readonly kind: ToolKind;
  readonly subject?: Subject;
  /** Rules for these tools also apply to this tool. */
  readonly alsoAs?: readonly string[];
  /** An MCP server decides what its input means. */
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
  // These tools fetch with GET, which is safe to repeat.
  ['WebFetch', { kind: 'reading', subject: 'url' }],
  ['WebSearch', { kind: 'reading' }],
  // A subagent's own calls are judged one by one.
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

/** Whether any text in the tool's input may be a path or a command. */
export const isOpenTool = (name: string): boolean => TOOLS.get(name)?.isOpen ?? !TOOLS.has(name);

/** Tools that ask a question only a person can answer. */
export const QUESTIONS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/**
 * Commands whose effects others can see, or whose effects differ when they are repeated; written as
 * in a deny rule's `Bash(…)`.
 */
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
