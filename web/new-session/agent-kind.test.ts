import { expect, it } from 'vitest';
import type { AgentView } from '../../src/contract/agent.ts';
import { automaticKind, shownKind, withPart } from './agent-kind.ts';

const view = (kind: AgentView['kind'], ready: boolean | null): AgentView => ({
  kind,
  ready,
  version: null,
  problem: ready === false ? 'signed_out' : null,
  fix: null,
});

/** What the server reports if Claude Code is in this state. */
const claude = (ready: boolean | null) => [view('claude', ready), view('shell', true)];

it('[C2] [A1] the shell is preselected only while Claude Code is not ready', () => {
  expect(shownKind({}, automaticKind(null, []))).toBe('claude');
  const first = automaticKind(null, claude(false));
  expect(shownKind({}, first)).toBe('shell');
  expect(shownKind({}, automaticKind(first, claude(true)))).toBe('claude');
  expect(automaticKind(null, claude(null))).toBe('claude');
});

it('[C2] [A1] only the user can switch a form from Claude Code to the shell', () => {
  expect(automaticKind('claude', claude(false))).toBe('claude');
  expect(automaticKind('claude', [])).toBe('claude');
});

it('[C2] [A1] text keeps the agent it was written for, until it is deleted', () => {
  const prose = withPart({}, { message: 'F' }, 'claude');
  expect(shownKind(prose, 'shell')).toBe('claude');
  const command = withPart({}, { message: 'l' }, 'shell');
  expect(shownKind(withPart(command, { message: 'ls' }, 'claude'), 'claude')).toBe('shell');
  expect(shownKind(withPart(command, { message: '' }, 'shell'), 'claude')).toBe('claude');
  // Stored by an older page, without who had chosen.
  expect(shownKind({ kind: 'shell' }, 'claude')).toBe('claude');
  expect(shownKind({ message: 'Fix it.' }, 'shell')).toBe('claude');
});

it('[C2] [A1] the user’s own choice is kept', () => {
  const chosen = withPart({}, { kind: 'shell' }, 'claude');
  expect(shownKind(chosen, 'claude')).toBe('shell');
  const written = withPart(chosen, { message: 'ls' }, 'shell');
  expect(shownKind(withPart(written, { message: '' }, 'shell'), 'claude')).toBe('shell');
});
