import { invalid, Refusal } from '../../contract/errors.ts';
import { UPLOAD_MAX_BYTES } from '../../contract/limits.ts';
import type { Party } from '../../contract/parties.ts';
import { type Quotas, quotaRefusal } from '../../contract/quotas.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import * as store from './store.ts';

export interface Announcement {
  filename: string;
  contentType: string;
  sizeBytes: number;
}

/** The value fits into a header: no line breaks, and no spaces at the end. */
const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+( *;[ -~]*[!-~])?$/;

export function isContentType(text: string): boolean {
  return CONTENT_TYPE.test(text);
}

export function checkAnnouncement({ contentType, sizeBytes }: Announcement): void {
  if (sizeBytes > UPLOAD_MAX_BYTES)
    throw new Refusal('file_too_large', `The file has ${sizeBytes} bytes; at most ${UPLOAD_MAX_BYTES} are allowed.`);
  if (!isContentType(contentType)) throw invalid([{ path: '/content_type', message: 'must be a media type such as application/pdf' }]);
}

/** The upload counts toward the day's limits at once, so that nobody can announce more than they may upload. */
export async function rememberUpload(
  database: Database,
  quotas: Quotas,
  owner: Party,
  upload: store.NewUpload,
): Promise<{ createdAt: Date; expiresAt: Date }> {
  const limits = { perBusiness: quotas.dailyUploadBytes, perOwner: quotas.dailyUploadBytesPerPerson };
  const result = await store.insertUpload(database.of(owner.id), owner.id, upload, limits);
  if ('refusedBy' in result)
    throw quotaRefusal(result.refusedBy === 'owner' ? 'daily_upload_bytes_per_person' : 'daily_upload_bytes', quotas, result.at);
  return result;
}

export function noSuchUpload(id: string): never {
  throw new Refusal('upload_not_found', `The upload ${id} was not found, or has expired.`);
}
