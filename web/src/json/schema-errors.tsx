import type { Validation } from '../api/schema.ts';
import { valuesInWords } from './issues-in-words.ts';

/** The errors of a schema, with the values that it allows, if the reader may know them. */
export function SchemaErrors({ errors, onGo }: { errors: Validation['errors']; onGo(path: string): void }) {
  return (
    <ul aria-label="Schema errors" className="max-h-48 overflow-y-auto border-b border-line bg-bad-tint px-3 py-2 text-sm">
      {errors.map((error) => {
        const { path, message, keyword } = error;
        const values = valuesInWords(error);
        return (
          <li key={`${path} ${keyword} ${message} ${values}`}>
            <button
              type="button"
              onClick={() => onGo(path)}
              className="flex min-h-6 w-full flex-wrap items-center gap-x-2 rounded px-1 py-0.5 text-left hover:underline"
            >
              <code className="font-mono break-all text-bad">{path === '' ? '(root)' : path}</code>
              <bdi>{message}</bdi>
              {values === '' ? null : <bdi className="min-w-0 text-soft wrap-anywhere">{values}</bdi>}
            </button>
          </li>
        );
      })}
    </ul>
  );
}
