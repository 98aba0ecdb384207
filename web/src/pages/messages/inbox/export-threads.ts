import { ApiError, blobOf } from '../../../api/client.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';
import { say } from '../../../ui/toast.tsx';

/** Downloads a list as a file. */
export async function exportThreads(filter: ThreadFilter, format: 'ndjson' | 'csv'): Promise<void> {
  say('Exporting…');
  try {
    const blob = await blobOf('GET /v1/export', { query: { list: 'threads', format, ...filter } });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `threads.${format}`;
    link.click();
    // The browser reads it when it saves the file.
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(error.message);
  }
}
