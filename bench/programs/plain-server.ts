// The peer of the HTTP cases: a Fastify route with a single insert.
// Argument: { database } or { path }. Message out: { url }.
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';
import pg from 'pg';

type Insert = (id: string, session: string, message: string) => unknown;
const TABLE =
  'CREATE TABLE messages (id text PRIMARY KEY, session text NOT NULL, message text NOT NULL)';

const setup = JSON.parse(process.argv[2]!) as { database?: string; path?: string };
const insert = setup.database === undefined ? sqlite(setup.path!) : await postgres(setup.database);

const app = Fastify();
app.post<{ Params: { id: string }; Body: { message: string } }>(
  '/sessions/:id/messages',
  {
    schema: {
      body: {
        type: 'object',
        required: ['message'],
        properties: { message: { type: 'string' } },
      },
    },
  },
  async (request, reply) => {
    const id = crypto.randomUUID();
    await insert(id, request.params.id, request.body.message);
    return reply.code(202).send({ id, status: 'queued' });
  },
);
await app.listen({ host: '127.0.0.1', port: 0 });
const address = app.server.address() as { port: number };
process.send!({ url: `http://127.0.0.1:${address.port}` });
process.on('SIGTERM', () => process.exit(0));

/** As durable as Baton's: each insert is its own commit to the disk. */
function sqlite(path: string): Insert {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec(TABLE);
  const statement = database.prepare('INSERT INTO messages VALUES (?, ?, ?)');
  return (id, session, message) => statement.run(id, session, message);
}

async function postgres(url: string): Promise<Insert> {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  await pool.query(TABLE);
  const text = 'INSERT INTO messages VALUES ($1, $2, $3)';
  return (id, session, message) =>
    pool.query({ name: 'insert', text, values: [id, session, message] });
}
