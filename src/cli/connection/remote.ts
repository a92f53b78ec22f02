import { type Client, createClient } from '../../client/client.ts';
import { UserError } from '../../config/user-error.ts';
import { type BatonError, type ErrorCode, isBatonError } from '../../contract/errors.ts';
import { EXIT } from '../command.ts';
import type { Arguments } from '../input/args.ts';
import { type Connection, type connectionFlags, findConnection } from './connection.ts';

/** Runs `work` with a client for the chosen server, and turns its refusals into user errors. */
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

/** What to do about errors whose messages contain no advice. */
const TODO: Partial<Record<ErrorCode, string>> = {
  session_ended: 'start another session, or reopen this one.',
  session_busy: 'wait for the run to end, or send with --on-busy enqueue.',
  cannot_steer: 'send with --on-busy enqueue or interrupt.',
  name_taken: 'choose another name with --name, or send to that session with --session.',
  queue_full: 'wait until some queued runs have ended, or cancel them.',
  rate_limited: 'wait a minute and try again.',
  too_many_streams: 'stop some of the programs that follow sessions or runs, and try again.',
  not_available: 'choose something that is available, such as --agent shell.',
  bad_answer: 'correct the URL: it must be that of the Baton server itself.',
  not_found: 'run "baton ls --all" to list all sessions.',
  forbidden: 'ask an administrator, or request fewer permissions; "baton whoami" shows yours.',
  host_refused:
    'use a host name that the server accepts, or set BATON_PUBLIC_URL or BATON_ALLOWED_HOSTS on it.',
  user_exists: 'choose another name; "baton user ls" lists the users.',
  unknown_user: 'run "baton user ls" to list the users.',
  last_admin: 'add another administrator with "baton user add --role admin".',
  approval_decided: 'run "baton approve show <id>" to see the answer.',
  invalid_input: 'run "baton approve show <id> --json" to see the original input.',
  contains_mask: 'type the secret in full, or leave that part unchanged.',
  policy_denied:
    'check what is allowed with "baton policy test"; change the rules with "baton policy set".',
  host_away: 'check its workers with "baton nodes", then try again; nothing was changed.',
  workspace_unreachable: 'copy the directory there, then try again; nothing was changed.',
  run_finished: 'run "baton logs <run>" to see how it ended.',
};

function fieldOf({ details }: BatonError): unknown {
  return typeof details === 'object' && details !== null && 'field' in details
    ? details.field
    : undefined;
}

/** A server's refusal as a three-line error with its exit code. */
export function explain(error: BatonError, { url, source }: Connection): UserError {
  if (error.code === 'server_unreachable') {
    return new UserError(
      {
        what: 'Can’t reach the Baton server.',
        why: `no Baton server responds at ${url} (from ${source}).`,
        todo: 'start it with "npm start" or "baton up", or choose another one with --url.',
      },
      { exitCode: EXIT.unreachable, cause: error },
    );
  }
  if (error.code === 'unauthorized') {
    return new UserError(
      {
        what: 'The server did not accept the token.',
        why: `it is invalid, expired or revoked at ${url} (from ${source}).`,
        todo: 'correct BATON_TOKEN, or run "baton login" again.',
      },
      { exitCode: EXIT.refused, cause: error },
    );
  }
  const unavailable = error.status === 503;
  const host = fieldOf(error) === 'workspace.host' ? 'choose one of them with --on.' : undefined;
  const bug = error.status >= 500 && !unavailable;
  return new UserError(
    {
      what: error.message,
      why: `the server at ${url} responded with "${error.code}".`,
      todo:
        host ??
        TODO[error.code] ??
        (unavailable || bug ? 'see the server log.' : 'correct the command.'),
    },
    { exitCode: unavailable ? EXIT.unreachable : bug ? EXIT.failed : EXIT.refused, cause: error },
  );
}
