import { expect, test } from 'vitest';
import { McpServers } from './mcp-server.ts';

const many = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, value]));

test('[H9] a session has at most 50 MCP servers, each with at most 100 variables', () => {
  expect(McpServers.safeParse(many(50, { command: 'x' })).success).toBe(true);
  expect(McpServers.safeParse(many(51, { command: 'x' })).success).toBe(false);
  expect(McpServers.safeParse({ a: { command: 'x', env: many(100, 'y') } }).success).toBe(true);
  expect(McpServers.safeParse({ a: { command: 'x', env: many(101, 'y') } }).success).toBe(false);
  const args = Array.from({ length: 16 }, () => 'x'.repeat(4000));
  expect(McpServers.safeParse({ a: { command: 'x', args } }).success).toBe(true);
  expect(McpServers.safeParse({ a: { command: 'x', args: [...args, ...args] } }).success).toBe(
    false,
  );
});
