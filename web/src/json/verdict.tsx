import { CircleCheck, CircleX } from 'lucide-react';
import type { Validation } from '../api/schema.ts';
import { Badge } from '../ui/parts.tsx';

export function Verdict({ status }: { status: Validation['status'] }) {
  if (status === 'not_applicable') return null;
  return status === 'passed' ? (
    <Badge tone="good">
      <CircleCheck className="size-3" aria-hidden />
      Schema passed
    </Badge>
  ) : (
    <Badge tone="bad">
      <CircleX className="size-3" aria-hidden />
      Needs correction
    </Badge>
  );
}
