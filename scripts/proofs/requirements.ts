import { API, DEPLOYMENT, OPERATING, SECURITY, WEB } from './requirements/interfaces.ts';
import type { Requirements } from './requirements/requirement.ts';
import { EXECUTION, LEASES, QUEUE, RETRIES, RUNS, TABLES } from './requirements/runs.ts';
import { SESSIONS, WORKSPACES } from './requirements/sessions.ts';

/** The documents that Baton was designed from, by the word that stands for each. */
export const DOCUMENTS: Readonly<Record<string, string>> = {
  scheduler: 'a design for scheduling Claude sessions across several channels',
  state: 'a user story about session state that survives restarts (US-004)',
  sync: 'the API of a system that keeps sessions and Coder workspaces in sync',
  web: 'an architecture for using agents in a browser, with several API nodes and workers',
  queue: 'the requirements for the first version of an in-memory task queue',
};

export const SECTIONS: Readonly<Record<string, Requirements>> = {
  'Queue and order': QUEUE,
  'States of runs': RUNS,
  'Retries and errors': RETRIES,
  'Leases and recovery': LEASES,
  Execution: EXECUTION,
  Tables: TABLES,
  'Sessions and restarts': SESSIONS,
  Workspaces: WORKSPACES,
  'HTTP API': API,
  'Policy, security, secrets': SECURITY,
  'Cost and operations': OPERATING,
  'Web app': WEB,
  'Deployment and acceptance': DEPLOYMENT,
};

/** Every requirement of the sources by its number. */
export const REQUIREMENTS: Requirements = Object.assign({}, ...Object.values(SECTIONS));
