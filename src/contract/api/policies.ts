import { z } from 'zod';
import { Channel } from '../message.ts';
import { SharedRules, TestPolicy, ToolRules, Verdict } from '../policy.ts';
import { SessionId } from '../session.ts';
import { endpoint } from './endpoint.ts';

const group = 'Policy';
const channel = z.strictObject({ channel: Channel });
const session = z.strictObject({ id: SessionId });
const example = { allow: ['Read'], deny: ['Bash(git push)'] };

export const policyEndpoints = {
  getGlobalRules: endpoint({
    method: 'GET',
    path: '/api/v1/policies/global',
    summary: 'The tool rules of the whole server',
    group,
    answer: SharedRules,
  }),
  putGlobalRules: endpoint({
    method: 'PUT',
    path: '/api/v1/policies/global',
    summary: 'Set the tool rules of the whole server',
    group,
    needs: 'admin',
    body: SharedRules,
    example: { ...example, enforced: ['Bash(git push)'] },
    answer: SharedRules,
  }),
  getChannelRules: endpoint({
    method: 'GET',
    path: '/api/v1/policies/channels/{channel}',
    summary: 'The tool rules of a channel, or its defaults if none are set',
    group,
    params: channel,
    answer: SharedRules,
  }),
  putChannelRules: endpoint({
    method: 'PUT',
    path: '/api/v1/policies/channels/{channel}',
    summary: 'Set the tool rules of a channel',
    group,
    needs: 'admin',
    params: channel,
    body: SharedRules,
    example: { ...example, enforced: ['Bash(git push)'] },
    answer: SharedRules,
  }),
  getSessionRules: endpoint({
    method: 'GET',
    path: '/api/v1/sessions/{id}/policy',
    summary: 'The tool rules of a session',
    group,
    params: session,
    answer: ToolRules,
    errors: ['not_found'],
  }),
  putSessionRules: endpoint({
    method: 'PUT',
    path: '/api/v1/sessions/{id}/policy',
    summary: 'Set the tool rules of a session',
    group,
    params: session,
    body: ToolRules,
    example,
    answer: ToolRules,
    errors: ['not_found'],
  }),
  testPolicy: endpoint({
    method: 'POST',
    path: '/api/v1/policies/test',
    summary:
      'Show what the tool rules would decide about a tool call, and why; nothing is executed',
    group,
    needs: 'read',
    level: 'view',
    body: TestPolicy,
    example: { tool: 'Bash', input: { command: 'git push' }, channel: 'line' },
    answer: Verdict,
    errors: ['not_found'],
  }),
};
