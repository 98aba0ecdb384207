import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { useReading } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { Button } from '../../ui/button.tsx';
import { PageHeader } from '../../ui/parts.tsx';
import { Empty, States } from '../../ui/states.tsx';
import { AddDomainDialog } from './add-domain-dialog.tsx';
import { DomainCard } from './domain-card.tsx';

export function DomainsPage() {
  const { role, isAdmin } = useRole();
  const domains = useReading('GET /v1/domains', {});
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHeader
        title="Domains"
        actions={
          isAdmin ? (
            <Button look="primary" onClick={() => setAdding(true)} icon={<Plus className="size-4" aria-hidden />}>
              Add domain
            </Button>
          ) : undefined
        }
      >
        Verify that an email domain is yours with a DNS record.
      </PageHeader>
      {role === 'member' ? (
        <p className="mb-4 rounded-lg bg-tint px-4 py-3 text-sm text-soft">Only admins and owners can add, check and remove domains.</p>
      ) : null}
      <States of={domains}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={<Globe className="size-6" aria-hidden />} title="No domains yet">
              <p>With a verified domain, others see that it is yours, and people at the domain can send as your business.</p>
              {isAdmin ? (
                <Button look="primary" className="mt-4" onClick={() => setAdding(true)}>
                  Add domain
                </Button>
              ) : null}
            </Empty>
          ) : (
            <>
              <ul aria-label="Domains" className="space-y-4">
                {data.map((domain) => (
                  <DomainCard key={domain.domain} domain={domain} isAdmin={isAdmin} isOwner={role === 'owner'} />
                ))}
              </ul>
              <Benefits />
            </>
          )
        }
      </States>
      {isAdding ? <AddDomainDialog onClose={() => setAdding(false)} /> : null}
    </>
  );
}

function Benefits() {
  return (
    <section className="mt-10 max-w-prose text-sm text-soft">
      <h2 className="mb-2 font-medium text-ink">What a verified domain does</h2>
      <ul className="list-disc space-y-1 pl-4">
        <li>It is shown next to your name, so others see that it is yours.</li>
        <li>People at the domain can send as your business, and their earlier messages move to it. An owner can limit this to members.</li>
        <li>The daily limit for new businesses no longer applies.</li>
        <li>Keep the record in place: it is checked daily, and the domain is removed after three days without it.</li>
      </ul>
    </section>
  );
}
