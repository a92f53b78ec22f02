import { expect, test } from 'vitest';
import type { NodeView } from '../../src/contract/node.ts';
import { bytes, healthOf, secondsSince } from './node-health.ts';

const node = {
  alive: true,
  capacity: 4,
  executing: 1,
  load: { cpu: 0.2, memoryBytes: 1e8, eventLoopDelayMs: 12, streams: 1, at: '' },
} as NodeView;

test('[C2] a node is offline, busy or healthy', () => {
  expect(healthOf(node)).toBe('healthy');
  expect(healthOf({ ...node, alive: false })).toBe('offline');
  expect(healthOf({ ...node, executing: 4 })).toBe('busy');
  expect(healthOf({ ...node, capacity: 0, executing: 0 })).toBe('healthy');
  expect(healthOf({ ...node, load: { ...node.load!, eventLoopDelayMs: 900 } })).toBe('busy');
});

test('[C2] times and sizes of nodes', () => {
  const at = '2026-11-16T10:00:00Z';
  expect(secondsSince(at, Date.parse(at) + 2400)).toBe(2);
  expect(secondsSince(at, Date.parse(at) - 20_000)).toBe(-20);
  expect(bytes(123_456_789)).toBe('123 MB');
  expect(bytes(2_500_000_000)).toBe('2.5 GB');
});
