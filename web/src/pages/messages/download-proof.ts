import { messageProof } from '../../api/proofs.ts';
import { saveFile } from '../../ui/save-file.ts';
import { say } from '../../ui/toast.tsx';

/** Saves a file that proves the message without the service. */
export async function downloadProof(id: string): Promise<void> {
  try {
    saveFile(new Blob([await messageProof(id)]), `${id}.waybill-proof`);
  } catch (failure) {
    say(failure instanceof Error ? failure.message : 'Couldn’t download the proof.');
  }
}
