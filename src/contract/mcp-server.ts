import { z } from 'zod';

/*
 * An MCP server, in the format of Claude Code. Unknown fields are refused: they might name a program
 * that the tool policy has not checked (P1).
 */

const Word = z.string().max(4096);
const WORDS_MAX = 100;
const Words = z
  .record(z.string().min(1).max(200), Word)
  .refine((words) => Object.keys(words).length <= WORDS_MAX, `at most ${WORDS_MAX} entries`);
/** Another name could hide the program that is started from the rules (P1). */
const Variables = Words.refine(
  (words) => Object.keys(words).every((name) => /^[A-Za-z_]\w*$/.test(name)),
  'a name may have letters, digits and _, and not begin with a digit',
);
const common = {
  /** Milliseconds. */
  timeout: z.int().min(1).optional(),
  alwaysLoad: z.boolean().optional(),
};

const ByCommand = z.strictObject({
  ...common,
  type: z.literal('stdio').optional(),
  command: Word.min(1),
  args: z.array(Word).max(100).optional(),
  env: Variables.optional(),
});

const ByUrl = z.strictObject({
  ...common,
  type: z.enum(['http', 'sse', 'ws']),
  url: Word.min(1),
  headers: Words.optional(),
  /** A command that prints headers. */
  headersHelper: Word.min(1).optional(),
});

export const McpServer = z.union([ByCommand, ByUrl]);
export type McpServer = z.infer<typeof McpServer>;

const SERVERS_MAX = 50;
/** As JSON; judging them takes time proportional to it. */
const CHARACTERS_MAX = 64 * 1024;
/** MCP servers by name. The tool rules judge each of them at every start. */
export const McpServers = z
  .record(z.string().min(1).max(100), McpServer)
  .refine(
    (servers) => Object.keys(servers).length <= SERVERS_MAX,
    `at most ${SERVERS_MAX} MCP servers`,
  )
  .refine(
    (servers) => JSON.stringify(servers).length <= CHARACTERS_MAX,
    `MCP servers can have at most ${CHARACTERS_MAX} characters together`,
  );
