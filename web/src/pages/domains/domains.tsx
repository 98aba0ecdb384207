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
              Add a domain
            </Button>
          ) : undefined
        }
      >
        Show that a mail domain is yours, by a record in its DNS.
      </PageHeader>
      {role === 'member' ? (
        <p className="mb-4 rounded-lg bg-tint px-4 py-3 text-sm text-soft">Only admins add, check and remove domains.</p>
      ) : null}
      <States of={domains}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={<Globe className="size-6" aria-hidden />} title="No domains yet">
              <p>
                People who write from a mailbox of your domain then send as your business, and others see that you are who you say you are.
              </p>
              {isAdmin ? (
                <Button look="primary" className="mt-4" onClick={() => setAdding(true)}>
                  Add your domain
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
              <WhatItBrings />
            </>
          )
        }
      </States>
      {isAdding ? <AddDomainDialog onClose={() => setAdding(false)} /> : null}
    </>
  );
}

function WhatItBrings() {
  return (
    <section className="mt-10 max-w-prose text-sm text-soft">
      <h2 className="mb-2 font-medium text-ink">What a verified domain brings</h2>
      <ul className="list-disc space-y-1 pl-4">
        <li>It stands beside your name, so others see that you are who you say you are.</li>
        <li>
          People who write from its mailboxes send as your business, and what they wrote before joins it. An owner can leave that to
          members.
        </li>
        <li>The daily limit of new businesses no longer applies.</li>
        <li>The record has to stay: it is looked up each day, and after three days without it the domain is lost.</li>
      </ul>
    </section>
  );
}
