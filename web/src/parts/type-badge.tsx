import { hueOf } from '../ui/hue.ts';
import { Name } from '../ui/name.tsx';

/** The type of a message. Types of a family, such as `order.placed` and `order.changed`, have one colour. */
export function TypeBadge({ type, className = '' }: { type: string; className?: string }) {
  return (
    <span
      className={`inline-flex min-w-0 rounded-md px-1.5 py-0.5 text-xs font-medium ${hueOf(type.split(/[.:/_-]/)[0] ?? '')} ${className}`}
    >
      <Name className="truncate">{type}</Name>
    </span>
  );
}
