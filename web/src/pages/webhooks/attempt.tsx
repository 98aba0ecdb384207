import { ChevronRight } from 'lucide-react';
import type { WebhookDelivery } from '../../api/schema.ts';
import { duration } from '../../ui/format.ts';
import { Name, visible } from '../../ui/name.tsx';
import { Copyable, Fact, Facts, Time } from '../../ui/parts.tsx';
import { DeliveryState } from './delivery-state.tsx';

export type Attempt = WebhookDelivery['attempts'][number];
type Header = NonNullable<Attempt['response']>['headers'][number];

export function AttemptItem({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }) {
  const { status, status_code, response_ms, created_at, attempted_at, replay } = attempt;
  const outcome = [status_code === null ? undefined : `HTTP ${status_code}`, response_ms === null ? undefined : duration(response_ms)];
  return (
    <li>
      <details open={isOpen} className="group">
        <summary className="flex cursor-pointer list-none flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 -outline-offset-2 hover:bg-tint">
          <ChevronRight className="size-4 shrink-0 text-soft transition-transform group-open:rotate-90" aria-hidden />
          <DeliveryState status={status} retryAt={attempt.next_attempt_at} />
          <span className="font-medium">
            Attempt {attempt.attempt}
            {replay ? <span className="font-normal text-soft"> of a redelivery</span> : null}
          </span>
          <span className="text-sm text-soft tabular-nums">{outcome.filter(Boolean).join(' · ')}</span>
          <span className="ml-auto text-sm text-soft">
            <Time at={attempted_at ?? created_at} />
          </span>
        </summary>
        <Details attempt={attempt} />
      </details>
    </li>
  );
}

function Details({ attempt }: { attempt: Attempt }) {
  const { id, status, error, request, response, created_at, attempted_at, next_attempt_at } = attempt;
  return (
    <div className="space-y-5 border-t border-line bg-tint/50 px-4 py-4">
      <Facts>
        {error !== null ? (
          <Fact name="Error">
            <bdi className="text-bad">{error}</bdi>
          </Fact>
        ) : null}
        <Fact name="Queued">
          <Time at={created_at} isExact />
        </Fact>
        <Fact name="Started">{attempted_at === null ? 'Not yet' : <Time at={attempted_at} isExact />}</Fact>
        {next_attempt_at === null ? null : (
          <Fact name={status === 'pending' ? 'Due' : 'Next attempt'}>
            <Time at={next_attempt_at} isExact />
          </Fact>
        )}
        <Fact name="Delivery id">
          <Copyable text={id} label="delivery id" />
        </Fact>
      </Facts>
      {status === 'pending' ? null : (
        <>
          <Request request={request} />
          <Response response={response} hasResponse={attempt.status_code !== null} />
        </>
      )}
    </div>
  );
}

function Request({ request }: { request: Attempt['request'] }) {
  return (
    <section aria-label="Request" className="space-y-2">
      <h3 className="font-medium">Request</h3>
      {request === null ? (
        <p className="text-sm text-soft">Not kept. Of a busy webhook, a sample of requests and responses is kept.</p>
      ) : (
        <>
          <p className="font-mono text-sm break-all">POST {request.url}</p>
          <Headers headers={request.headers} />
          {request.body_as_shown === false ? (
            <p className="text-sm text-soft">The body was as below, with other download URLs: they are signed for each attempt.</p>
          ) : null}
        </>
      )}
    </section>
  );
}

function Response({ response, hasResponse }: { response: Attempt['response']; hasResponse: boolean }) {
  return (
    <section aria-label="Response" className="space-y-2">
      <h3 className="font-medium">Response</h3>
      {response === null ? (
        <p className="text-sm text-soft">{hasResponse ? 'Not kept. Responses of private hosts never are.' : 'No response.'}</p>
      ) : (
        <>
          <Headers headers={response.headers} />
          {response.body === '' ? (
            <p className="text-sm text-soft">No body.</p>
          ) : (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards can scroll it only with the focus
            <section aria-label="Response body" tabIndex={0} className="max-h-80 overflow-auto rounded-lg border border-line bg-paper">
              <pre className="px-3 py-2 font-mono text-sm wrap-anywhere whitespace-pre-wrap">{visibleLines(response.body)}</pre>
            </section>
          )}
          {response.truncated ? <p className="text-sm text-soft">The first 2 KB. The rest was not kept.</p> : null}
        </>
      )}
    </section>
  );
}

function visibleLines(text: string): string {
  return text.replace(/[^\t\n\r]+/g, visible);
}

function Headers({ headers }: { headers: Header[] }) {
  return (
    <dl className="grid grid-cols-1 gap-x-4 gap-y-1 font-mono text-sm sm:grid-cols-[minmax(8rem,max-content)_1fr]">
      {headers.map(({ name, value }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a header may come twice
        <div key={at} className="contents">
          <dt className="text-soft">
            <Name>{name}</Name>
          </dt>
          <dd className="min-w-0 wrap-anywhere max-sm:mb-1">
            {value === null ? <span className="text-soft">hidden</span> : <Name>{value}</Name>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
