import '../../verify/certificate.css';
import '../../verify/evidence.css';
import { certificate, fitPage } from '../../verify/certificate.ts';
import { make, told } from '../../verify/elements.ts';
import { evidence } from '../../verify/evidence.ts';
import { tell } from '../../verify/tell.ts';
import { hashes } from './hash.ts';
import type { Verified } from './verify-proof.ts';

/** Fills the element with what the proof of a receipt proves, and a certificate for paper. */
export async function showEvidence(target: HTMLElement, text: string, { evidence: report, keys }: Verified): Promise<void> {
  const [fileSha256 = ''] = await hashes({ texts: [text] });
  const words = tell(report, { publishedBy: location.host, comparedFiles: 0, isJsonCompared: false });
  const sheet = certificate(report, words, {
    at: new Date(),
    fileSha256,
    receiptUrl: location.origin + location.pathname,
    verifier: `${location.origin}/verify.html`,
    keys,
    areKeysPublished: true,
  });
  target.replaceChildren(make('p', 'headline', ...told(words.headline)), evidence(report, words, true), sheet);
  fitPage(sheet);
}
