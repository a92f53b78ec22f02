import { agents } from './agents.ts';
import { dashboard } from './dashboard.ts';
import { detail } from './detail.ts';
import { newSession } from './new-session.ts';
import { settings } from './settings.ts';

/** What the audit log says about each noun. */
const audit = {
  targets: {
    session: 'Session',
    run: 'Run',
    approval: 'Question',
    policy: 'Tool rules',
    user: 'User',
    token: 'Token',
    sign_in: 'Sign-in',
    system: 'System',
  },
  actions: {
    'session.create': 'Created a session',
    'session.update': 'Changed a session',
    'session.delete': 'Deleted a session',
    'session.complete': 'Closed a session',
    'session.terminate': 'Stopped and closed a session',
    'session.reopen': 'Reopened a session',
    'session.archive': 'Archived a session',
    'session.retry': 'Retried preparing a workspace',
    'session.hold': 'Paused a session',
    'session.resume': 'Resumed a session',
    'session.fork': 'Forked a session',
    'session.move': 'Moved a session to another machine',
    'session.share': 'Changed a session’s sharing',
    'message.send': 'Sent a message',
    'run.edit': 'Changed a queued run',
    'run.remove': 'Removed a queued run',
    'run.cancel': 'Cancelled a run',
    'run.retry': 'Retried a run',
    'approval.decide': 'Answered a question',
    'approval.reveal': 'Revealed secrets in a question',
    'policy.update': 'Changed tool rules',
    'user.create': 'Added a user',
    'user.update': 'Changed a user',
    'user.sign_in_link': 'Created a sign-in link',
    'user.sign_out': 'Signed a user out',
    'token.create': 'Created a token',
    'token.revoke': 'Revoked a token',
    'system.stop': 'Stopped everything',
    'system.resume': 'Resumed everything',
    'auth.sign_in': 'Signed in',
    'auth.sign_out': 'Signed out',
  },
};

/** Loaded with the pages that show them. */
export const rest = { agents, dashboard, detail, newSession, settings, audit };
