import { useParams } from '@tanstack/react-router';
import { FileDown, Printer } from 'lucide-react';
import { useReading } from '../../api/queries.ts';
import type { AnyReceipt } from '../../api/schema.ts';
import { Plain } from '../../frame/plain.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton, PartyName, Section } from '../../ui/parts.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { ErrorNote, Loading } from '../../ui/states.tsx';
import { CheckBox } from './check-box.tsx';
import { Evidence, useEvidence } from './evidence.tsx';
import { Delivered, DeliveryFacts, Identifiers, Minimal } from './facts.tsx';
import { ReceiptFiles } from './files.tsx';
import { Integrity } from './integrity.tsx';
import { ProofFacts } from './proof-state.tsx';
import { QrImage } from './qr-image.tsx';
import { type Proof, useProof } from './use-proof.ts';

export function ReceiptPage() {
  const { token } = useParams({ from: '/r/$token' });
  const { data: receipt, error, refetch } = useReading('GET /v1/receipts/{token}', { path: { token } });
  if (receipt) return <Shown receipt={receipt} />;
  if (error?.code === 'not_found')
    return (
      <Plain title="Receipt not found">
        <p className="text-soft">
          Check that the link is complete: it ends with <code>rcpt_</code> and 36 letters and digits.
        </p>
      </Plain>
    );
  return (
    <Plain title="Receipt" isWide>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : <Loading rows={5} />}
    </Plain>
  );
}

function Shown({ receipt }: { receipt: AnyReceipt }) {
  const full = 'detail' in receipt ? undefined : receipt;
  const proof = useProof(receipt);
  const evidence = useEvidence(proof.data);
  const printOut = async () => {
    await evidence.show?.();
    print();
  };
  return (
    <Plain title="Receipt" isWide>
      <div className="mb-6 flex items-start justify-between gap-6">
        <div className="min-w-0">
          <p className="mb-4 text-soft wrap-anywhere">
            Delivered by Waybill from <PartyName party={receipt.from.party} /> to{' '}
            <PartyName party={receipt.to.party} segment={full?.to.segment} />.
          </p>
          <div className="flex flex-wrap gap-2 print:hidden">
            <DownloadProof id={receipt.id} proof={proof.data} />
            <Button onClick={() => void printOut()} icon={<Printer className="size-4" aria-hidden />}>
              {evidence.show ? 'Print certificate' : 'Print'}
            </Button>
            <CopyButton text={location.href} label="Copy link" />
          </div>
        </div>
        <div className="shrink-0 max-sm:hidden print:block">
          <QrImage text={location.origin + location.pathname} label="QR code of the link to this receipt" />
        </div>
      </div>
      <Integrity receipt={receipt} proof={proof} />
      {full ? <Delivered receipt={full} /> : <Minimal />}
      <Section title="Delivery">
        <DeliveryFacts receipt={receipt} />
      </Section>
      {full && full.files.length > 0 ? (
        <Section title="Files">
          <ReceiptFiles files={full.files} />
        </Section>
      ) : null}
      <Section title="Verification">
        <Identifiers receipt={receipt}>
          <ProofFacts proof={proof.data} />
        </Identifiers>
        <p className="mt-4 text-sm text-soft print:hidden">
          This page trusts the keys that {location.host} publishes. Download the proof to keep it: it verifies without this service, years
          later, by a key that you trust.{' '}
          <a href="/docs/verify-a-receipt" className="text-accent underline">
            How to verify a proof
          </a>
        </p>
      </Section>
      <Evidence {...evidence} />
      <div className="mt-10 print:hidden">
        <CheckBox receipt={receipt} />
      </div>
    </Plain>
  );
}

/** Saves the very text that the browser has verified. */
function DownloadProof({ id, proof }: { id: string; proof: Proof | undefined }) {
  const text = proof?.kind === 'checked' && proof.report.failure === undefined ? proof.text : undefined;
  if (proof?.kind === 'none') return null;
  const save = () => saveFile(new Blob([text ?? '']), `${id}.${text?.startsWith('{') ? 'waybill-proof' : 'tlog-proof'}`);
  return (
    <Button look="primary" disabled={text === undefined} onClick={save} icon={<FileDown className="size-4" aria-hidden />}>
      Download proof
    </Button>
  );
}
