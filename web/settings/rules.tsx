import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Channel } from '../../src/contract/message.ts';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import {
  channelRules,
  channelRulesQuery,
  globalRules,
  globalRulesQuery,
} from '../tool-rules/queries.ts';
import { RulesCard } from '../tool-rules/rules-card.tsx';
import { RulesTester } from '../tool-rules/rules-tester.tsx';

/** The tool rules for all sessions, and those of each channel. */
export function Rules() {
  const t = useTexts();
  const [tested, setTested] = useState<Channel>('web');
  const global = useQuery(globalRulesQuery);
  const channels = useQueries({ queries: Channel.options.map(channelRulesQuery) });
  const failed = [global, ...channels].find(({ error }) => error !== null);
  return (
    <>
      {failed !== undefined && (
        <LoadError error={failed.error} retry={() => void failed.refetch()} />
      )}
      <RulesTester channel={tested} onChannel={setTested} />
      <Section about={t.settings.rulesHelp}>
        {Channel.options.map((channel, index) => {
          const rules = channels[index]?.data;
          return rules === undefined ? null : (
            <RulesCard
              key={channel}
              title={t.common.channels[channel]}
              about={t.settings.channelHelp[channel]}
              rules={rules}
              none={channel === 'cli' ? t.settings.allAllowed : t.settings.allAsked}
              edit={channelRules(channel)}
            />
          );
        })}
        {global.data !== undefined && (
          <RulesCard
            title={t.settings.everything}
            about={t.settings.everythingHelp}
            rules={global.data}
            none={t.settings.noGlobal}
            edit={globalRules}
          />
        )}
      </Section>
    </>
  );
}
