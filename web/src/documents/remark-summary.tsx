import { TriangleAlert } from 'lucide-react';
import { count } from '../ui/format.ts';
import { Name } from '../ui/name.tsx';

interface Said {
  path: string;
  message: string;
}

/** What the rules of the type and the schema of the recipient find, folded: nothing is refused because of it. Each is at its value, too. */
export function RemarkSummary({ warnings, errors }: { warnings: readonly Said[]; errors: readonly Said[] }) {
  return (
    <>
      <Folded said={errors} title={`${count(errors.length, 'value')} not as the schema says`} look="bg-bad-tint" tone="text-bad" />
      <Folded said={warnings} title={`${count(warnings.length, 'value')} to check`} look="bg-warn-tint" tone="text-warn" />
    </>
  );
}

function Folded({ said, title, look, tone }: { said: readonly Said[]; title: string; look: string; tone: string }) {
  if (said.length === 0) return null;
  return (
    <details className={`mb-4 rounded-lg px-3 py-2 text-sm print:hidden ${look}`}>
      <summary className={`rounded ${tone}`}>
        <TriangleAlert className="mr-2 mb-0.5 inline size-4" aria-hidden />
        {title}
      </summary>
      <ul className="mt-2 space-y-1 pl-6">
        {said.map(({ path, message }) => (
          <li key={`${path} ${message}`} className="wrap-anywhere">
            <Name>{message}</Name>{' '}
            <code className="text-xs text-soft">
              <Name>{path}</Name>
            </code>
          </li>
        ))}
      </ul>
    </details>
  );
}
