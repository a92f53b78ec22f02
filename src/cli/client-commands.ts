import { cancel } from './cancel.ts';
import type { Command } from './command.ts';
import { hold, resume } from './hold.ts';
import { login, logout } from './login.ts';
import { logs } from './logs.ts';
import { ls } from './ls.ts';
import { run } from './run.ts';
import { send } from './send.ts';

/** Commands that speak to a running server, as anyone else could through its API. */
export const clientCommands: Readonly<Record<string, Command>> = {
  run,
  ls,
  send,
  logs,
  cancel,
  hold,
  resume,
  login,
  logout,
};
