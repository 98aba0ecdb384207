import { blobOf, WaybillError } from '../../../api/client.ts';
import type { ThreadFilter } from '../../../parts/threads/views.ts';
import { saveFile } from '../../../ui/save-file.ts';
import { say } from '../../../ui/toast.tsx';

export async function exportThreads(filter: ThreadFilter, format: 'ndjson' | 'csv'): Promise<void> {
  say('Exporting…');
  try {
    const blob = await blobOf('GET /v1/export', { query: { list: 'threads', format, ...filter } });
    saveFile(blob, `threads.${format}`);
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
    say(error.message);
  }
}
