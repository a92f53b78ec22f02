import { useMutation } from '@tanstack/react-query';
import type { Approval } from '../../src/contract/approval.ts';
import type { Json } from '../../src/contract/values/json.ts';
import { client } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { problemOf } from '../parts/problem.ts';
import { useTexts } from '../texts/texts.ts';
import { masksIn } from './tool-call.ts';

/** The input of a call: masked until the user reveals the secrets in it. */
export function useMaskedInput({ id, input, masked }: Approval) {
  // This is not a query, because every reveal is audited and nothing may be left in a cache.
  const reveal = useMutation({
    mutationFn: () => client.revealApproval({ params: { id } }),
    gcTime: 0,
  });
  const shown: Json = reveal.data === undefined ? input : reveal.data.input;
  return { input: shown, isMasked: masked && reveal.data === undefined, reveal };
}

interface Props {
  readonly approval: Approval;
  readonly of: ReturnType<typeof useMaskedInput>;
  /** Only users who may answer can reveal the secrets. */
  readonly mayShow: boolean;
}

/** A warning that the text shown is not exactly what will run. */
export function MaskedWarning({ approval, of: { isMasked, reveal }, mayShow }: Props) {
  const t = useTexts();
  if (!approval.masked) return null;
  if (!isMasked) {
    return (
      <Notice
        tone="info"
        title={t.approvals.revealed}
        actions={
          <Button size="small" onClick={() => reveal.reset()}>
            {t.approvals.hideAgain}
          </Button>
        }
      >
        {t.approvals.revealedHelp}
      </Notice>
    );
  }
  return (
    <Notice
      tone="warn"
      title={t.approvals.masked}
      {...(mayShow && {
        actions: (
          <Button size="small" disabled={reveal.isPending} onClick={() => reveal.mutate()}>
            {t.approvals.reveal}
          </Button>
        ),
      })}
    >
      {reveal.isError
        ? problemOf(reveal.error, t)
        : t.approvals.maskedHelp(masksIn(approval.input).join(', '))}
    </Notice>
  );
}
