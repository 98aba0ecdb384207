import { ChevronRight, Pencil } from 'lucide-react';
import { useId, useState } from 'react';
import type { Agent } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Name, visible } from '../../ui/name.tsx';
import { CopyButton } from '../../ui/parts.tsx';
import { Keys } from './keys.tsx';
import { SigningKeys } from './signing-keys.tsx';

interface AgentCardProps {
  agent: Agent;
  isAdmin: boolean;
  isOpenAtFirst: boolean;
  onEdit(): void;
}

export function AgentCard({ agent, isAdmin, isOpenAtFirst, onEdit }: AgentCardProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  return (
    <li aria-labelledby={id} className="overflow-hidden rounded-xl border border-line">
      <div className="flex items-start justify-between gap-4 px-4 py-4 sm:px-5">
        <div className="min-w-0">
          <h2 id={id} className="font-semibold">
            <Name>{agent.name}</Name>
          </h2>
          {agent.description !== null ? (
            <p className="max-w-prose text-soft">
              <bdi>{agent.description}</bdi>
            </p>
          ) : null}
          <p className="mt-1 flex items-center gap-1 text-sm text-soft">
            <span className="min-w-0 font-mono break-all">{agent.address}</span>
            <CopyButton text={agent.address} label={`Copy address ${agent.address}`} isIcon />
          </p>
        </div>
        <Button onClick={onEdit} aria-label={visible(`Edit ${agent.name}`)} icon={<Pencil className="size-3.5" aria-hidden />}>
          Edit
        </Button>
      </div>
      {isAdmin ? (
        <div className="border-t border-line bg-tint px-4 py-2 sm:px-5">
          <button
            type="button"
            aria-expanded={isOpen}
            aria-controls={`${id}-keys`}
            onClick={() => setOpen(!isOpen)}
            className="flex items-center gap-1.5 rounded py-1 text-sm font-medium text-soft hover:text-ink"
          >
            <ChevronRight className={`size-4 transition-transform ${isOpen ? 'rotate-90' : ''}`} aria-hidden />
            Keys
            <span className="sr-only">
              of <Name>{agent.name}</Name>
            </span>
          </button>
          <div id={`${id}-keys`}>
            {isOpen ? (
              <>
                <Keys agent={agent} />
                <SigningKeys agent={agent} />
              </>
            ) : null}
          </div>
        </div>
      ) : null}
    </li>
  );
}
