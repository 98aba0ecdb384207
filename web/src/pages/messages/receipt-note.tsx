import { useReading } from '../../api/queries.ts';

export function ReceiptNote() {
  const { data: business } = useReading('GET /v1/business', {});
  return (
    <p className="min-h-10 text-sm text-soft">
      {business === undefined
        ? ''
        : business.receipts === 'minimal'
          ? 'Anyone with the receipt link sees only the parties, the time and the hashes.'
          : 'Anyone with the receipt link sees the sender, type, subject, note and file names, but not the JSON or the content of files.'}
    </p>
  );
}
