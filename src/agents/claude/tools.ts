/**
 * The Claude Code tools that agents may use, under their names in all versions; Claude Code ignores
 * names it does not know. New versions add tools that bypass the rules: `SendMessage` writes to
 * other people's agents, and `EnterWorktree` and `Workflow` can run commands in a directory other
 * than the one they are judged for. `CronCreate` needs a process that keeps running. So a tool is
 * offered only after someone has checked what it does. Tools of MCP servers are not affected.
 */
export const OFFERED_TOOLS: readonly string[] = [
  ...['Bash', 'BashOutput', 'KillShell', 'Monitor'],
  ...['Read', 'NotebookRead', 'Grep', 'Glob', 'LS'],
  ...['Write', 'Edit', 'MultiEdit', 'NotebookEdit'],
  ...['WebFetch', 'WebSearch'],
  ...['Task', 'Agent', 'TaskOutput', 'TaskStop', 'Skill', 'ToolSearch'],
  ...['TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'],
  ...['AskUserQuestion', 'EnterPlanMode', 'ExitPlanMode', 'ReportFindings'],
  ...['ListMcpResourcesTool', 'ReadMcpResourceTool'],
];
