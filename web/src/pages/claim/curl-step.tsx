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
  /** The secret of a key created on this page. Without it, the command reads one from the environment. */
  secret: string | undefined;
  isCopied: boolean;
  onCopied(): void;
  byAgent: Envelope | EnvelopeSummary | undefined;
}

export function CurlStep({ handle, secret, isCopied, onCopied, byAgent }: CurlStepProps) {
  const queries = useQueryClient();
  useArrivals(useCallback(() => void forget(queries, 'GET /v1/outbox'), [queries]));
  const command = curlCommand(handle, secret);
  return (
    <Step number={5} title="Send from a program" isDone={isCopied || byAgent !== undefined}>
      <p className="mb-3 text-soft">
        This command sends an order from your agent to your own inbox. Run it in a terminal.
        {secret === undefined ? ' Set WAYBILL_KEY to a key first.' : ''}
      </p>
      <pre className="mb-3 whitespace-pre-wrap break-all rounded-lg border border-line bg-tint px-4 py-3 font-mono text-sm leading-relaxed">
        {command}
      </pre>
      <Button
        look="primary"
        icon={isCopied ? <Check className="size-4" aria-hidden /> : <Copy className="size-4" aria-hidden />}
        onClick={() => void copyText(command).then(onCopied)}
      >
        <span aria-live="polite">{isCopied ? 'Copied' : 'Copy command'}</span>
      </Button>
      {byAgent ? (
        <p className="mt-3 text-sm text-good">
          <Name>{byAgent.from.actor.name}</Name> sent a message <Time at={byAgent.received_at} />.
        </p>
      ) : null}
    </Step>
  );
}

function curlCommand(handle: string, secret: string | undefined): string {
  return [
    `curl ${location.origin}/v1/messages`,
    secret === undefined ? '-H "Authorization: Bearer $WAYBILL_KEY"' : `-H 'Authorization: Bearer ${secret}'`,
    `-H 'Content-Type: application/json'`,
    `-d '{"to":"${handle}","type":"order","subject":"Order 1002","json":{"order":1002}}'`,
  ].join(' \\\n  ');
}
