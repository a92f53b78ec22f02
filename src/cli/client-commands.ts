import { audit } from './admin/audit.ts';
import { nodes } from './admin/nodes.ts';
import { resumeAll, stopAll } from './admin/stop-all.ts';
import { token } from './admin/token.ts';
import { user } from './admin/user.ts';
import { approve } from './approvals/approve.ts';
import { policy } from './approvals/policy.ts';
import type { Command, CommandGroup } from './command.ts';
import { login } from './connection/login.ts';
import { logout } from './connection/logout.ts';
import { whoami } from './connection/whoami.ts';
import { cancel } from './sessions/cancel.ts';
import { cost } from './sessions/cost.ts';
import { hold, resume } from './sessions/hold.ts';
import { logs } from './sessions/logs.ts';
import { ls } from './sessions/ls.ts';
import { run } from './sessions/run.ts';
import { send } from './sessions/send.ts';
import { session } from './sessions/session.ts';
import { share } from './sessions/share.ts';

/** Commands that talk to a running server through its public API. */
export const clientCommands: Readonly<Record<string, Command | CommandGroup>> = {
  run,
  ls,
  send,
  logs,
  cancel,
  approve,
  hold,
  resume,
  share,
  session,
  cost,
  policy,
  login,
  logout,
  whoami,
  token,
  user,
  audit,
  nodes,
  'stop-all': stopAll,
  'resume-all': resumeAll,
};
