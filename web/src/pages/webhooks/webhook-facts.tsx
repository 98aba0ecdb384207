import type { ReactNode } from 'react';
import type { Webhook } from '../../api/schema.ts';
import { number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Badge, Copyable, CopyButton, Fact, Facts, Time } from '../../ui/parts.tsx';
import { Codes, Receives } from './receives.tsx';

export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const { url, description, header_names, max_per_second, ordered, public_key, active, created_at } = webhook;
  return (
    <Facts>
      <Fact name="URL">
        <span className="inline-flex max-w-full items-start gap-1">
          <span className="min-w-0 font-mono text-sm break-all">{url}</span>
          <span className="-my-1.5">
            <CopyButton text={url} label="Copy URL" isIcon />
          </span>
        </span>
      </Fact>
      {description === null ? null : (
        <Fact name="Description">
          <Name>{description}</Name>
        </Fact>
      )}
      <Fact name="Receives">
        <Receives webhook={webhook} />
      </Fact>
      <Fact name="Status">{active ? <Badge>Active</Badge> : <Badge tone="warn">Paused</Badge>}</Fact>
      {header_names.length === 0 ? null : (
        <Fact name="Headers">
          <Codes texts={header_names} />
        </Fact>
      )}
      {max_per_second === null ? null : <Fact name="Limit">{number(max_per_second)} per second</Fact>}
      {ordered ? <Fact name="Order">Of each thread one delivery at a time, in order</Fact> : null}
      <Fact name="Created">
        <Time at={created_at} isExact />
      </Fact>
      <Fact name="Signature">
        {public_key === null ? (
          <>
            Each delivery is signed with the secret of this webhook.{' '}
            <Guide page="receive-orders-by-webhook">How to verify signatures</Guide>
          </>
        ) : (
          <>
            <p className="mb-2">
              Each delivery is signed with the secret of this webhook, and with Ed25519 for this public key.{' '}
              <Guide page="verify-ed25519">How to verify signatures</Guide>
            </p>
            <Copyable text={public_key} label="public key" />
          </>
        )}
      </Fact>
    </Facts>
  );
}

function Guide({ page, children }: { page: string; children: ReactNode }) {
  return (
    <a href={`/docs/${page}`} target="_blank" rel="noreferrer" className="text-accent underline">
      {children}
    </a>
  );
}
