import { harmlessName } from './content-disposition.ts';
import { objectPath } from './object-path.ts';
import type { DownloadTerms } from './object-store.ts';
import type { UrlSigner } from './url-signer.ts';

export function ownDownloadUrl(
  signer: UrlSigner,
  publicUrl: string,
  id: string,
  { filename, contentType, expiresAt }: DownloadTerms,
): string {
  const urlPath = objectPath(id);
  // The full name may be longer than a URL can be.
  const terms = { name: harmlessName(filename), type: contentType };
  return `${publicUrl}${urlPath}?${signer.sign('GET', urlPath, terms, expiresAt)}`;
}
