import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useActiveBusiness } from '../../api/business.ts';
import { useReading } from '../../api/queries.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { PageHeader } from '../../ui/parts.tsx';
import { States } from '../../ui/states.tsx';
import { CurlStep } from './curl-step.tsx';
import { FirstMessageStep } from './first-message-step.tsx';
import { KeyStep } from './key-step.tsx';
import { InviteStep, PartnerStep } from './team-steps.tsx';

export function WelcomePage() {
  const handle = useActiveBusiness() ?? '';
  const outbox = useReading('GET /v1/outbox', { query: { limit: 20, include: 'summary' } });
  return (
    <>
      <PageHeader title="First steps">Set up @{handle}: two steps for your team, then three for programs.</PageHeader>
      <States of={outbox}>{({ data }) => <Steps key={handle} handle={handle} sent={data} />}</States>
    </>
  );
}

function Steps({ handle, sent }: { handle: string; sent: (Envelope | EnvelopeSummary)[] }) {
  const [secret, setSecret] = useState<string>();
  const [isCopied, setCopied] = useState(false);
  const byAgent = sent.find(({ from }) => from.actor.kind === 'agent');
  const isDone = sent.length > 0 && (isCopied || byAgent !== undefined);
  return (
    <>
      <ol className="max-w-3xl">
        <InviteStep />
        <PartnerStep handle={handle} sent={sent} />
        <FirstMessageStep last={sent[0]} />
        <KeyStep secret={secret} onSecret={setSecret} />
        <CurlStep handle={handle} secret={secret} isCopied={isCopied} onCopied={() => setCopied(true)} byAgent={byAgent} />
      </ol>
      <section aria-live="polite" className="max-w-3xl">
        {isDone ? <WhatNext isCopied={isCopied} /> : null}
      </section>
    </>
  );
}

function WhatNext({ isCopied }: { isCopied: boolean }) {
  return (
    <div className="rounded-xl bg-good-tint px-5 py-4">
      <h2 className="text-lg font-semibold">All set</h2>
      <p className="mt-1 text-soft">
        Your message was delivered{isCopied ? ', and the command to send the next one is copied' : ''}. Next:
      </p>
      <ul className="mt-3 list-disc space-y-1 pl-5">
        <li>
          <NextLink to="/webhooks">Webhooks</NextLink> to be notified of new messages
        </li>
        <li>
          <NextLink to="/schema">Inbox schema</NextLink> to check incoming JSON
        </li>
        <li>
          <a href="/docs" className="text-accent underline">
            Documentation
          </a>{' '}
          for everything else
        </li>
      </ul>
    </div>
  );
}

function NextLink({ to, children }: { to: '/webhooks' | '/schema'; children: string }) {
  return (
    <Link to={to} className="text-accent underline">
      {children}
    </Link>
  );
}
