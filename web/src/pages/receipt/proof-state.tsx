import { LoaderCircle } from 'lucide-react';
import { longTime, number } from '../../ui/format.ts';
import { Name } from '../../ui/name.tsx';
import { Fact } from '../../ui/parts.tsx';
import { Mono } from './mono.tsx';
import type { Proof } from './use-proof.ts';
import type { Verified } from './verify-proof.ts';

export function ProofState({ proof }: { proof: Proof | undefined }) {
  if (proof === undefined) return null;
  if (proof.kind === 'pending')
    return (
      <p className="mt-1 flex items-center gap-2 text-soft">
        <LoaderCircle className="size-4 animate-spin motion-reduce:hidden" aria-hidden />
        Being added to the log. This takes a few seconds.
      </p>
    );
  if (proof.kind === 'none') return <p className="mt-1 text-soft">Delivered before this service had a log, so there is no proof.</p>;
  const { report } = proof;
  if (report.failure !== undefined) return null;
  return (
    <p className="mt-1 font-medium">
      {[
        `In the log at #${number(report.index)}`,
        ...(report.witnessesKnown > 0 ? [`witnessed by ${report.witnesses.length} of ${report.witnessesKnown}`] : []),
      ].join(' · ')}
    </p>
  );
}

export function ProofFacts({ proof }: { proof: Proof | undefined }) {
  const report = proof?.kind === 'checked' && proof.report.failure === undefined ? proof.report : undefined;
  if (proof !== undefined && !report) return null;
  return (
    <>
      <Fact name="Log entry">{report ? <LogEntry report={report} /> : <Checking />}</Fact>
      <Fact name="Log key">{report ? <Mono>{report.logKey}</Mono> : <Checking />}</Fact>
      {report && report.witnessesKnown > 0 ? (
        <Fact name="Witnesses">
          <Witnesses report={report} />
        </Fact>
      ) : null}
      {report?.timestamp ? (
        <Fact name="Timestamp">
          <Stamp timestamp={report.timestamp} />
        </Fact>
      ) : null}
    </>
  );
}

function LogEntry({ report: { index, size, origin } }: { report: Verified }) {
  return (
    <>
      #{number(index)} <span className="text-soft">of {number(size)} in</span> <span className="break-all">{origin}</span>
    </>
  );
}

function Stamp({ timestamp }: { timestamp: NonNullable<Verified['timestamp']> }) {
  return (
    <>
      <time dateTime={timestamp.time.toISOString()}>{longTime(timestamp.time)}</time>
      <span className="text-soft">
        {' by '}
        <Name>{timestamp.authority}</Name>. Not checked: this page does not know whether you trust this authority.
      </span>
    </>
  );
}

function Witnesses({ report: { witnesses, witnessesKnown } }: { report: Verified }) {
  return (
    <>
      {witnesses.length} of {witnessesKnown}
      {witnesses.length === 0 ? null : (
        <span className="text-soft wrap-anywhere">
          : <Name>{witnesses.join(', ')}</Name>
        </span>
      )}
    </>
  );
}

function Checking() {
  return <span className="text-soft">Checking…</span>;
}
