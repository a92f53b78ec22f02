import { CopyButton } from '../parts/copy-button.tsx';
import { Notice } from '../parts/notice.tsx';

interface ShownOnceProps {
  readonly title: string;
  readonly about: string;
  readonly value: string;
}

/** A secret that is shown only once. */
export function ShownOnce({ title, about, value }: ShownOnceProps) {
  return (
    <div className="mb-4">
      <Notice tone="good" title={title}>
        {about}
        <span className="mt-2 flex items-center gap-1 text-ink">
          <code className="min-w-0 grow rounded border border-edge bg-panel px-2 py-1.5 font-mono break-all select-all">
            {value}
          </code>
          <CopyButton text={value} />
        </span>
      </Notice>
    </div>
  );
}
