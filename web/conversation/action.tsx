import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../parts/button.tsx';
import { useTexts } from '../texts/texts.ts';
import { useConversation } from './context.ts';
import { refusalOf } from './refusal.ts';

interface Props {
  readonly act: () => Promise<unknown>;
  readonly variant?: 'primary' | 'plain' | 'quiet';
  readonly children: ReactNode;
}

/** A button that helps with a problem, and reports an error when its action fails. */
export function Action({ act, variant = 'plain', children }: Props) {
  const t = useTexts();
  const { mayAct } = useConversation();
  const { mutate, isPending, error } = useMutation({ mutationFn: act });
  if (!mayAct) return null;
  return (
    <>
      <Button
        variant={variant}
        size="small"
        disabled={isPending}
        onClick={() => mutate()}
        className="max-md:min-h-11 max-md:px-3"
      >
        {children}
      </Button>
      {error !== null && (
        <p role="alert" className="w-full text-dense text-bad">
          {t.conversation.actionFailed} {refusalOf(error, t)}
        </p>
      )}
    </>
  );
}
