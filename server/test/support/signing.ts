import { newSigningKeyPair, type SignableRequest, type SigningKey, signRequest } from '@waybill/client';
import { formatId, parseId } from '../../src/contract/ids.ts';
import { registerKey } from '../../src/modules/signatures/signing-keys.ts';
import type { ApiResponse } from './api.ts';
import type { TestBusiness, TestService } from './service.ts';

/** Creates a key of the business's agent and registers its public half. */
export async function newSigningKey(
  service: TestService,
  { handle, agentId }: Pick<TestBusiness, 'handle' | 'agentId'>,
): Promise<SigningKey & { publicKey: string; privateKey: string }> {
  const { privateKey, publicKey } = await newSigningKeyPair();
  const [party] = await service.database.queryText<{ id: string; display_name: string }>(
    'SELECT id, display_name FROM parties WHERE handle = $1',
    [handle],
  );
  if (!party) throw new Error('no such business');
  const business = { id: BigInt(party.id), view: { kind: 'handle', handle, display_name: party.display_name } } as const;
  const key = await registerKey(service.database, business, parseId('agt', agentId) ?? '', publicKey);
  return { id: formatId('sgk', key.id), privateKey, publicKey };
}

type Signed = Partial<SignableRequest> & { headers?: Record<string, string> };

/** Sends a signed request of the business's agent: in the former form, unless `authority` and so on are given. */
export async function signedWrite(
  business: Pick<TestBusiness, 'api'>,
  key: SigningKey,
  path: string,
  body: unknown,
  { headers = {}, ...signed }: Signed = {},
): Promise<ApiResponse> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = await signRequest(key, { method: 'POST', path: `/v1${path}`, body: text, ...signed });
  const { idempotencyKey, recipient, files } = signed;
  const covered = {
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
    ...(recipient !== undefined && { 'waybill-recipient': recipient }),
    ...(files !== undefined && { 'waybill-files': files }),
  };
  return business.api.write('POST', path, text, { ...signature, ...covered, ...headers });
}

/** Sends a signed message that names its service, and its recipient if one is given. */
export function signedSend(business: Pick<TestBusiness, 'api'>, key: SigningKey, body: unknown, signed: Signed = {}): Promise<ApiResponse> {
  return signedWrite(business, key, '/messages', body, { authority: new URL(business.api.url).host, ...signed });
}
