import { expect, it } from 'vitest';
import { frameOf, socketOf } from './sockets.ts';

const at = (path: string): string | undefined =>
  socketOf(new URL(path, 'http://localhost:8080'))?.href;

it('[E2] [H3] only streams have a WebSocket address', () => {
  expect(at('/api/v1/events')).toBe('ws://localhost:8080/ws/events?pings=true');
  expect(at('/api/v1/sessions/abc/events?after=7')).toBe(
    'ws://localhost:8080/ws/sessions/abc?after=7&pings=true',
  );
  expect(socketOf(new URL('https://baton.example/api/v1/events'))?.protocol).toBe('wss:');
  for (const path of [
    '/api/v1/sessions/abc/events?after=7&follow=false',
    '/api/v1/sessions/abc',
    '/api/v1/sessions/events',
    '/api/v1/runs/abc/events',
    '/api/v1/sessions',
  ]) {
    expect(at(path)).toBeUndefined();
  }
});

it('[E2] a frame becomes a server-sent event', () => {
  expect(frameOf('{"seq":1}')).toBe('data: {"seq":1}\n\n');
  expect(frameOf('{"type":"ping"}')).toBe(': ping\n\n');
});
