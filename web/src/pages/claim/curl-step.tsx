import { useQueryClient } from '@tanstack/react-query';
import { Check, Copy } from 'lucide-react';
import { useCallback } from 'react';
import { useArrivals } from '../../api/live.ts';
import { forget } from '../../api/queries.ts';
import type { Envelope, EnvelopeSummary } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/parts.tsx';
import { Step } from './step.tsx';

interface CurlStepProps {
  handle: string;
  /** Of a key that was made on this page; otherwise the shell has to know one. */
  secret: string | undefined;
  isCopied: boolean;
  onCopied(): void;
  /** What an agent has sent already. */
  byAgent: Envelope | EnvelopeSummary | undefined;
}

export function CurlStep({ handle, secret, isCopied, onCopied, byAgent }: CurlStepProps) {
  const queries = useQueryClient();
  useArrivals(useCallback(() => void forget(queries, 'GET /v1/outbox'), [queries]));
  const line = curlLine(handle, secret);
  return (
    <Step number={3} title="The same from a program" isDone={isCopied || byAgent !== undefined}>
      <p className="mb-3 text-soft">
        This sends an order from your agent to yourself. Run it in a terminal, and look into your inbox.
        {secret === undefined ? ' Put a key into WAYBILL_KEY first.' : ''}
      </p>
      <pre className="mb-3 whitespace-pre-wrap break-all rounded-lg border border-line bg-tint px-4 py-3 font-mono text-sm leading-relaxed">
        {line}
      </pre>
      <Button
        look="primary"
        icon={isCopied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
        onClick={() => void copyText(line).then(onCopied)}
      >
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy the line'}</span>
      </Button>
      {byAgent ? (
        <p className="mt-3 text-sm text-good">
          <Name>{byAgent.from.actor.name}</Name> has sent a message, <Time at={byAgent.received_at} />.
        </p>
      ) : null}
    </Step>
  );
}

/** For a POSIX shell. A handle has no character that means anything to one. */
function curlLine(handle: string, secret: string | undefined): string {
  return [
    `curl ${location.origin}/v1/messages`,
    secret === undefined ? '-H "Authorization: Bearer $WAYBILL_KEY"' : `-H 'Authorization: Bearer ${secret}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"to":"${handle}","type":"order","subject":"Order 1002","json":{"order":1002}}'`,
  ].join(' \\\n  ');
}
