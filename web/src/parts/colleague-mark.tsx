import { Bot } from 'lucide-react';
import type { Colleague } from '../api/schema.ts';
import { hueOf } from '../ui/hue.ts';
import { visible } from '../ui/name.tsx';

export function ColleagueMark({ colleague, isNamed = true }: { colleague: Colleague; isNamed?: boolean }) {
  const name = visible(colleague.name);
  return (
    <span
      title={isNamed ? name : undefined}
      className={`inline-grid size-5 shrink-0 place-items-center text-[0.625rem] font-semibold uppercase ${colleague.kind === 'agent' ? 'rounded-md' : 'rounded-full'} ${hueOf(colleague.id)}`}
    >
      {isNamed ? <span className="sr-only">Assigned to {name}</span> : null}
      <span aria-hidden>{colleague.kind === 'agent' ? <Bot className="size-3" /> : initialsOf(name)}</span>
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/).filter((word) => word !== '');
  return `${words[0]?.at(0) ?? ''}${name.includes('@') ? '' : (words[1]?.at(0) ?? '')}`;
}
