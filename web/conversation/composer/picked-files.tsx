import { FileText, X } from 'lucide-react';
import { IconButton } from '../../parts/button.tsx';
import { useTexts } from '../../texts/texts.ts';
import type { PickedFile } from '../outbox/files.ts';

interface Props {
  readonly files: readonly PickedFile[];
  readonly onRemove: (id: string) => void;
}

/** The files attached to the draft. */
export function PickedFiles({ files, onRemove }: Props) {
  const t = useTexts();
  if (files.length === 0) return null;
  return (
    <ul
      aria-label={t.conversation.files}
      className="flex max-h-[20dvh] flex-wrap gap-2 overflow-y-auto px-2 pt-2"
    >
      {files.map(({ id, name, mediaType, data }) => (
        <li
          key={id}
          className="flex items-center gap-1.5 rounded border border-edge bg-raised pl-1.5"
        >
          {IMAGES.test(mediaType) ? (
            <img
              src={`data:${mediaType};base64,${data}`}
              alt=""
              className="size-8 rounded object-cover"
            />
          ) : (
            <FileText size={16} className="text-soft" aria-hidden />
          )}
          <span className="max-w-40 truncate text-dense">{name}</span>
          <IconButton label={t.conversation.removeFile(name)} onClick={() => onRemove(id)}>
            <X size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  );
}

const IMAGES = /^image\/(png|jpe?g|gif|webp|avif|bmp)$/;
