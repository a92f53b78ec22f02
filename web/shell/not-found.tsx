import { Link } from '@tanstack/react-router';
import { Button } from '../parts/button.tsx';
import { Notice } from '../parts/notice.tsx';
import { useTexts } from '../texts/texts.ts';

export function NotFound() {
  const t = useTexts();
  return <Missing title={t.shell.notFound} />;
}

/** Shown instead of a missing page, with a link back. */
export function Missing({ title }: { title: string }) {
  const t = useTexts();
  return (
    <div className="p-6">
      <Notice
        tone="info"
        title={title}
        actions={
          <Link to="/" className="underline underline-offset-3">
            {t.shell.toSessions}
          </Link>
        }
      />
    </div>
  );
}

export function Broken({ error }: { error: unknown }) {
  const t = useTexts();
  return (
    <div className="p-6">
      <Notice
        tone="bad"
        title={t.shell.broken}
        actions={
          <Button size="small" onClick={() => location.reload()}>
            {t.shell.reload}
          </Button>
        }
      >
        {error instanceof Error ? error.message : String(error)}
      </Notice>
    </div>
  );
}
