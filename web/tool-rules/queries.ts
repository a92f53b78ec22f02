import { queryOptions } from '@tanstack/react-query';
import type { Channel } from '../../src/contract/message.ts';
import { client } from '../api/client.ts';

export const globalRulesQuery = queryOptions({
  queryKey: ['rules', 'global'],
  queryFn: ({ signal }) => client.getGlobalRules({}, { signal }),
});

export const channelRulesQuery = (channel: Channel) =>
  queryOptions({
    queryKey: ['rules', 'channel', channel],
    queryFn: ({ signal }) => client.getChannelRules({ params: { channel } }, { signal }),
  });

export const sessionRulesQuery = (id: string) =>
  queryOptions({
    queryKey: ['rules', 'session', id],
    queryFn: ({ signal }) => client.getSessionRules({ params: { id } }, { signal }),
  });
