import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Channel } from '../../src/contract/message.ts';
import type { Session } from '../../src/contract/session.ts';
import { LoadError } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { useTexts } from '../texts/texts.ts';
import {
  channelRulesQuery,
  globalRulesQuery,
  sessionRules,
  sessionRulesQuery,
} from '../tool-rules/queries.ts';
import { RulesCard } from '../tool-rules/rules-card.tsx';
import { RulesTester } from '../tool-rules/rules-tester.tsx';

/** The rules in force and where they come from. */
export function RulesTab({ session, mayEdit }: { session: Session; mayEdit: boolean }) {
  const t = useTexts();
  const [channel, setChannel] = useState<Channel>('web');
  const own = useQuery(sessionRulesQuery(session.id));
  const ofChannel = useQuery(channelRulesQuery(channel));
  const global = useQuery(globalRulesQuery);
  const failed = [own, ofChannel, global].find(({ error }) => error !== null);
  return (
    <>
      <Section title={t.detail.inForce} about={t.detail.inForceHelp}>
        {failed !== undefined && (
          <LoadError error={failed.error} retry={() => void failed.refetch()} />
        )}
        {own.data !== undefined && (
          <RulesCard
            title={t.detail.ofSession}
            about={t.detail.ofSessionHelp}
            rules={own.data}
            none={t.detail.noRules}
            edit={mayEdit ? sessionRules(session.id) : undefined}
          />
        )}
        {ofChannel.data !== undefined && (
          <RulesCard
            title={t.detail.ofChannel(t.common.channels[channel])}
            about={t.detail.ofChannelHelp}
            rules={ofChannel.data}
            none={t.detail.noRules}
          />
        )}
        {global.data !== undefined && (
          <RulesCard
            title={t.detail.ofAll}
            about={t.detail.ofAllHelp}
            rules={global.data}
            none={t.detail.noRules}
          />
        )}
        <div className="pt-3">
          <h3 className="font-medium">{t.detail.byDefault}</h3>
          <p className="text-dense text-soft">
            {channel === 'cli' ? t.detail.byDefaultCli : t.detail.byDefaultHelp}
          </p>
        </div>
      </Section>
      <RulesTester sessionId={session.id} channel={channel} onChannel={setChannel} />
    </>
  );
}
