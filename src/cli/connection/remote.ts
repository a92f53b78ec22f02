import { type Client, createClient } from '../../client/client.ts';
import { UserError } from '../../config/user-error.ts';
import { type BatonError, type ErrorCode, isBatonError } from '../../contract/errors.ts';
import { EXIT } from '../command.ts';
import type { Arguments } from '../input/args.ts';
import { type Connection, type connectionFlags, findConnection } from './connection.ts';

/** Finds the server, runs `work` with a client of it, and puts its refusals into words. */
export async function withServer<T>(
  flags: Arguments<typeof connectionFlags>['flags'],
  work: (client: Client, connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = findConnection({ url: flags.url, dataDir: flags['data-dir'] }, process.env);
  try {
    return await work(createClient(connection), connection);
  } catch (error) {
    throw isBatonError(error) ? explain(error, connection) : error;
  }
}

/** What can be done about a refusal, where its own words do not say it. */
const TODO: Partial<Record<ErrorCode, string>> = {
  session_ended: 'start another session, or reopen this one.',
  session_busy: 'wait for the run to end, or send with --on-busy enqueue.',
  cannot_steer: 'send with --on-busy enqueue or interrupt.',
  name_taken: 'choose another name with --name, or send to that session with --session.',
  queue_full: 'wait until some of the queued runs have ended, or cancel them.',
  rate_limited: 'wait a minute and try again.',
  too_many_streams: 'close some of the programs that follow, and try again.',
  not_available: 'choose one that is there; for the agent that is --agent shell.',
  bad_answer: 'correct the address: it must be that of the server itself.',
  not_found: 'see "baton ls --all" for what there is.',
  forbidden:
    'ask for less, or somebody who may; "baton whoami" shows what your credential is good for.',
  host_refused:
    'use a name the server knows, or set BATON_PUBLIC_URL or BATON_ALLOWED_HOSTS there.',
  user_exists: 'choose another name, or see "baton user ls".',
  unknown_user: 'see "baton user ls" for those there are.',
  last_admin: 'add another administrator with "baton user add --role admin".',
  approval_decided: 'see "baton approve show <id>" for how it was answered.',
  invalid_input: 'see "baton approve show <id> --json" for the input that was asked about.',
  contains_mask: 'write the secret out, or leave that part as it was asked.',
  policy_denied:
    'see "baton policy test" for what is allowed; rules are set with "baton policy set".',
  host_away: 'see "baton nodes" for what its workers do, and try again; nothing was changed.',
  workspace_unreachable: 'put the directory there, then try again; nothing was changed.',
  run_finished: 'see "baton logs <run>" for how it ended.',
};

function fieldOf({ details }: BatonError): unknown {
  return typeof details === 'object' && details !== null && 'field' in details
    ? details.field
    : undefined;
}

/** The refusal of a server in three lines, with its exit code. */
export function explain(error: BatonError, { url, source }: Connection): UserError {
  if (error.code === 'server_unreachable') {
    return new UserError(
      {
        what: 'The Baton server does not answer.',
        why: `nothing that speaks as Baton was reached at ${url} (from ${source}).`,
        todo: 'start it with "npm start" or "baton up", or name another one with --url.',
      },
      { exitCode: EXIT.unreachable, cause: error },
    );
  }
  if (error.code === 'unauthorized') {
    return new UserError(
      {
        what: 'The server did not accept the token.',
        why: `it is not valid, or no longer, at ${url} (from ${source}).`,
        todo: 'correct BATON_TOKEN, or run "baton login" again.',
      },
      { exitCode: EXIT.refused, cause: error },
    );
  }
  const away = error.status === 503;
  const host = fieldOf(error) === 'workspace.host' ? 'name one of them with --on.' : undefined;
  const bug = error.status >= 500 && !away;
  return new UserError(
    {
      what: error.message,
      why: `the server at ${url} answered "${error.code}".`,
      todo:
        host ??
        TODO[error.code] ??
        (away || bug ? 'see the log of the server.' : 'correct the command.'),
    },
    { exitCode: away ? EXIT.unreachable : bug ? EXIT.failed : EXIT.refused, cause: error },
  );
}
