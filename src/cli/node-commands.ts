import { EXIT, type NodeCommand } from './command.ts';
import { takeJson } from './input/args.ts';
import type { Role } from './node/serve.ts';

// The implementations are imported when needed, so that the short commands stay fast.

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

const json = { help: 'exact JSON on stdout, nothing else' };

/** Commands that take the settings of a node. */
export const nodeCommands: Readonly<Record<string, NodeCommand>> = {
  up: starting(
    'start a node: HTTP server, worker and database',
    ['api', 'worker'],
    [
      'Stays until Ctrl-C or SIGTERM; running agents then get a grace, a second signal ends at once.',
    ],
  ),
  api: starting(
    'start a node that serves HTTP only',
    ['api'],
    ['For several nodes over PostgreSQL; "baton worker" runs the agents.'],
  ),
  worker: starting(
    'start a node that runs agents only',
    ['worker'],
    ['For several nodes over PostgreSQL; "baton api" serves HTTP.'],
  ),
  migrate: {
    summary: 'bring the database up to date, and end',
    usage: '[settings] [--json]',
    about: ['A database of a newer Baton is refused. "baton up" does the same at its start.'],
    settings: true,
    flags: { json },
    run: async (args, { stop }) => {
      const given = takeJson(args);
      await (await import('./node/migrate.ts')).migrate(given.rest, given.json, stop);
      return EXIT.ok;
    },
  },
  doctor: {
    summary: 'check this machine and say how to mend what is wrong',
    usage: '[settings] [--json]',
    about: ['Takes the settings of "up" and changes nothing. Exit code 1 if there is a problem.'],
    settings: true,
    flags: { json },
    run: async (args) => {
      const given = takeJson(args);
      return (await import('./node/doctor.ts')).doctor(given.rest, given.json);
    },
  },
};
