/**
 * The tools of Claude Code that agents get, by the names of all versions; it ignores those it does not
 * know. New versions bring tools that act where no rule is asked: `SendMessage` writes to the agents of
 * other people, `EnterWorktree` and `Workflow` run commands where they are not judged, and `CronCreate`
 * expects a process that stays. So a tool is offered only after someone has checked what it does. Tools of
 * MCP servers are not affected.
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
