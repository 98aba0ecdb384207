import { messageProof } from '../../api/proofs.ts';
import { saveFile } from '../../ui/save-file.ts';
import { say } from '../../ui/toast.tsx';

export async function downloadProof(id: string): Promise<void> {
  try {
    saveFile(new Blob([await messageProof(id)]), `${id}.waybill-proof`);
  } catch (failure) {
    say(failure instanceof Error ? failure.message : 'Couldn’t download the proof.');
  }
}
