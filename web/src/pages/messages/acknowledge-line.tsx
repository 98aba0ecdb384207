import { CircleCheck, X } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import type { Draft } from './draft.ts';

const WORDS = new Map([
  ['accepted', 'Accepts'],
  ['rejected', 'Rejects'],
  ['processed', 'Marks as processed'],
]);

interface AcknowledgeLineProps {
  draft: Draft;
  isHidden: boolean;
  onRemove(): void;
}

/** Says what the reply does beside being read. */
export function AcknowledgeLine({ draft: { begun, acknowledge }, isHidden, onRemove }: AcknowledgeLineProps) {
  const what = begun.split(' ').slice(2).join(' ');
  return (
    <p hidden={isHidden} className={isHidden ? '' : 'flex items-center gap-1.5 text-sm text-soft'}>
      <CircleCheck className="size-4 shrink-0 text-good" aria-hidden />
      <span>
        {WORDS.get(acknowledge)} the {what} when sent
      </span>
      <IconButton label="Send without the acknowledgement" onClick={onRemove} className="size-7!">
        <X className="size-4" aria-hidden />
      </IconButton>
    </p>
  );
}
