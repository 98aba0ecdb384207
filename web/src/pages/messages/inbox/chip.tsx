import { X } from 'lucide-react';
import type { ReactNode } from 'react';

interface ChipProps {
  label: string;
  /** Wider than the chip, because a calendar is larger. */
  isDay?: boolean;
  children: ReactNode;
  onRemove(): void;
}

/** A filter of the list. */
export function Chip({ label, isDay, children, onRemove }: ChipProps) {
  return (
    <span className="inline-flex h-7 items-center gap-1.5 rounded-lg bg-accent-tint pl-2 text-sm text-accent">
      <span>{label}:</span>
      <span className={`font-medium ${isDay ? '' : 'max-w-52 truncate'}`}>{children}</span>
      <button
        type="button"
        aria-label={`Remove filter ${label}`}
        onClick={onRemove}
        className="grid size-7 place-items-center rounded-lg hover:bg-hover"
      >
        <X className="size-3.5" aria-hidden />
      </button>
    </span>
  );
}
