import { useReading } from '../api/queries.ts';
import { Fact, Time } from '../ui/parts.tsx';
import { coverageText } from './signature-coverage.ts';

/** By whose key a message was signed, and what that covers. Nothing for a message that nobody has signed. */
export function SignatureFact({ message: { receipt_url, files } }: { message: { receipt_url: string; files: readonly unknown[] } }) {
  const token = receipt_url.split('/').at(-1) ?? '';
  const { data } = useReading('GET /v1/receipts/{token}/signature', { path: { token } });
  if (!data) return null;
  const { key, covers } = data;
  return (
    <Fact name="Signed">
      <span className="text-ink">{coverageText(covers, files.length > 0)}</span> with the key <code className="font-mono">{key.id}</code>
      {key.revoked_at === null ? null : (
        <>
          , which was revoked <Time at={key.revoked_at} />
        </>
      )}
    </Fact>
  );
}
