import { EXIT, type NodeCommand } from './command.ts';
import { takeJson } from './input/args.ts';
import type { Role } from './node/serve.ts';

// Implementations are imported on demand, to keep the short commands fast.

const starting = (summary: string, roles: readonly Role[], about: readonly string[]) =>
  ({
    summary,
    usage: '[settings]',
    about,
    settings: true,
    flags: {},
    run: async (args, { stop }) => {
      await (await import('./node/serve.ts')).serve(args, stop, roles);
      return EXIT.ok;
    },
  }) satisfies NodeCommand;

const json = { help: 'output JSON' };

/** Commands that accept the settings of a node. */
export const nodeCommands: Readonly<Record<string, NodeCommand>> = {
  up: starting(
    'start a node: HTTP server, worker and database',
    ['api', 'worker'],
    [
      'Runs until Ctrl-C or SIGTERM. Running agents then get time to finish; a second signal stops it immediately.',
    ],
  ),
  api: starting(
    'start a node that serves HTTP only',
    ['api'],
    ['For several nodes sharing a PostgreSQL database; "baton worker" runs the agents.'],
  ),
  worker: starting(
    'start a node that runs agents only',
    ['worker'],
    ['For several nodes sharing a PostgreSQL database; "baton api" serves HTTP.'],
  ),
  migrate: {
    summary: 'apply database migrations and exit',
    usage: '[settings] [--json]',
    about: [
      'Refuses a database created by a newer version of Baton. "baton up" also applies migrations when it starts.',
    ],
    settings: true,
    flags: { json },
    run: async (args, { stop }) => {
      const given = takeJson(args);
      await (await import('./node/migrate.ts')).migrate(given.rest, given.json, stop);
      return EXIT.ok;
    },
  },
  doctor: {
    summary: 'check this machine and suggest fixes',
    usage: '[settings] [--json]',
    about: [
      'Accepts the same settings as "up" and changes nothing. Exits with code 1 if it finds a problem.',
    ],
    settings: true,
    flags: { json },
    run: async (args) => {
      const given = takeJson(args);
      return (await import('./node/doctor.ts')).doctor(given.rest, given.json);
    },
  },
};
