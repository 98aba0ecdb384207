import { useReading } from '../../api/queries.ts';

/** What a receipt shows, told before something is sent. */
export function ReceiptNote() {
  const { data: business } = useReading('GET /v1/business', {});
  return (
    <p className="min-h-10 text-sm text-soft">
      {business === undefined
        ? ''
        : business.receipts === 'minimal'
          ? 'Everybody with the link of the receipt sees both parties, the time and the hashes, and nothing else.'
          : 'Everybody with the link of the receipt sees who sent it, type, subject, note and file names, but not the JSON or what is in the files.'}
    </p>
  );
}
