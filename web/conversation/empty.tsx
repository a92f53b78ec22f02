import { takesCommands } from '../../src/contract/agent-kinds.ts';
import { useTexts } from '../texts/texts.ts';
import { useConversation } from './context.ts';

/** Shown before the first message. */
export function Empty({ loading }: { loading: boolean }) {
  const t = useTexts();
  const { session } = useConversation();
  return (
    <div role="status" className="py-10 text-center text-soft">
      {loading ? (
        t.common.loading
      ) : (
        <>
          <p className="font-medium">{t.conversation.empty}</p>
          <p>
            {takesCommands(session.agent) ? t.conversation.emptyShell : t.conversation.emptyAgent}
          </p>
        </>
      )}
    </div>
  );
}
