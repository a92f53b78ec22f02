import { approve } from './approve.ts';
import { audit } from './audit.ts';
import { cancel } from './cancel.ts';
import type { Command, CommandGroup } from './command.ts';
import { cost } from './cost.ts';
import { hold, resume } from './hold.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { logs } from './logs.ts';
import { ls } from './ls.ts';
import { nodes } from './nodes.ts';
import { policy } from './policy.ts';
import { run } from './run.ts';
import { send } from './send.ts';
import { session } from './session.ts';
import { share } from './share.ts';
import { resumeAll, stopAll } from './stop-all.ts';
import { token } from './token.ts';
import { user } from './user.ts';
import { whoami } from './whoami.ts';

/** Commands that speak to a running server, as anyone else could through its API. */
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
