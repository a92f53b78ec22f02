import { reading } from './api/collect.ts';

interface NodeRow {
  readonly host: string;
  readonly roles: string;
  readonly pid: number;
  readonly lease: number;
}

interface LaneRow {
  readonly host: string;
  readonly state: string;
  readonly held: number;
  readonly n: number;
}

/** The nodes, and the lanes with work by host and state: the first things to check if nothing drains. */
export const hostLines = (database: string): Promise<string[]> =>
  reading(database, async (ask) => {
    const nodes = await ask<NodeRow>(
      'SELECT host, roles, CAST(pid AS float8) AS pid, CAST(lease_until AS float8) AS lease FROM nodes ORDER BY host',
    );
    const lanes = await ask<LaneRow>(
      `SELECT host, state, CAST(held AS float8) AS held, CAST(count(*) AS float8) AS n FROM lanes
       WHERE state <> 'idle' GROUP BY host, state, held ORDER BY host, state`,
    );
    const until = (lease: number): string => new Date(lease).toISOString();
    return [
      `chaos: not drained at ${new Date().toISOString()}; nodes:`,
      ...nodes.map(
        ({ host, roles, pid, lease }) => `  ${host} ${roles} pid ${pid}, lease to ${until(lease)}`,
      ),
      'chaos: lanes by host:',
      ...lanes.map(
        ({ host, state, held, n }) =>
          `  ${host || 'any host'}: ${n} ${state}${held === 0 ? '' : ', held'}`,
      ),
    ];
  });
