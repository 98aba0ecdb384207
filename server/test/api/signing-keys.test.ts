import { createHash } from 'node:crypto';
import { newSigningKeyPair } from '@waybill/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/contract/canonical-json.ts';
import { SIGNING_KEYS_PER_AGENT_MAX } from '../../src/contract/limits.ts';
import { claimedBy } from '../support/businesses.ts';
import type { MemberApi } from '../support/member.ts';
import { expectRefusal } from '../support/refusals.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let owner: MemberApi;

beforeAll(async () => {
  service = await startTestService();
  owner = await claimedBy(service, 'ada@acme.test', 'acme');
});
afterAll(() => service.stop());

const newAgent = async (): Promise<string> => (await owner.post('/agents', { name: 'Orders' })).body.id;
const register = (agentId: string, publicKey: string) => owner.post(`/agents/${agentId}/signing-keys`, { public_key: publicKey });
const list = async (agentId: string) => (await owner.get(`/agents/${agentId}/signing-keys`)).body.data;

/** The number of leaves about this statement in the log. */
async function timesLogged(statement: unknown): Promise<number> {
  const leaf = Buffer.concat([Buffer.from([4]), createHash('sha256').update(canonicalJson(statement)).digest()]);
  return (await service.sql('SELECT FROM log_batches WHERE leaves = $1', [leaf])).length;
}

describe('a signing key', () => {
  test('is registered, listed and revoked, and the log has both', async () => {
    const agentId = await newAgent();
    const { publicKey } = await newSigningKeyPair();
    const { status, body } = await register(agentId, publicKey);
    expect([status, body]).toEqual([
      201,
      { id: expect.stringMatching(/^sgk_/), public_key: publicKey, created_at: expect.any(String), revoked_at: null, domain: null },
    ]);
    expect(await list(agentId)).toEqual([body]);
    const party = { kind: 'handle', handle: 'acme', display_name: (await owner.get('/business')).body.display_name };
    const stated = { agent: agentId, id: body.id, party, public_key: publicKey };
    expect(await timesLogged({ ...stated, at: body.created_at, state: 'registered' })).toBe(1);

    const path = `/agents/${agentId}/signing-keys/${body.id}`;
    expect((await owner.delete(path)).status).toBe(204);
    const [revoked] = await list(agentId);
    expect(revoked).toEqual({ ...body, revoked_at: expect.any(String) });
    expect(await timesLogged({ ...stated, at: revoked.revoked_at, state: 'revoked' })).toBe(1);
    expect((await owner.delete(path)).status).toBe(204);
    expect(await list(agentId)).toEqual([revoked]);
  });

  test('that is registered again is the same, even at once; a revoked one does not come back', async () => {
    const agentId = await newAgent();
    const { publicKey } = await newSigningKeyPair();
    const registered = await Promise.all([1, 2, 3].map(() => register(agentId, publicKey)));
    expect(new Set(registered.map(({ body }) => body.id)).size).toBe(1);
    await owner.delete(`/agents/${agentId}/signing-keys/${registered[0]?.body.id}`);
    expectRefusal(await register(agentId, publicKey), 'conflict');
    expect(await list(agentId)).toHaveLength(1);
  });

  test('must be 32 bytes in base64 that are no weak key', async () => {
    const agentId = await newAgent();
    const bytes = (last: number) => Buffer.from([...Buffer.alloc(31), last]).toString('base64');
    const wrong = [
      '',
      'AAAA',
      bytes(0),
      bytes(0x80),
      `${bytes(7)}=`,
      bytes(7).replace('=', ''),
      Buffer.alloc(33, 1).toString('base64'),
      'not base64',
    ];
    for (const one of wrong) expectRefusal(await register(agentId, one), 'validation_error');
    for (const body of [{}, { public_key: 1 }, { public_key: bytes(7), more: 1 }])
      expectRefusal(await owner.post(`/agents/${agentId}/signing-keys`, body), 'validation_error');
    expect(await list(agentId)).toEqual([]);
  });

  test('is one of a few, however many are registered at once', async () => {
    const agentId = await newAgent();
    const keys = await Promise.all(Array.from({ length: SIGNING_KEYS_PER_AGENT_MAX + 3 }, newSigningKeyPair));
    const statuses = (await Promise.all(keys.map(({ publicKey }) => register(agentId, publicKey)))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(SIGNING_KEYS_PER_AGENT_MAX);
    expect(statuses.filter((status) => status === 409)).toHaveLength(3);
    const [first] = await list(agentId);
    await owner.delete(`/agents/${agentId}/signing-keys/${first.id}`);
    expect((await register(agentId, (await newSigningKeyPair()).publicKey)).status).toBe(201);
  });

  test('belongs to one agent of one business', async () => {
    const agentId = await newAgent();
    const { id } = (await register(agentId, (await newSigningKeyPair()).publicKey)).body;
    const other = await claimedBy(service, 'bob@globex.test', 'globex');
    expectRefusal(await other.get(`/agents/${agentId}/signing-keys`), 'not_found');
    expectRefusal(await other.post(`/agents/${agentId}/signing-keys`, { public_key: (await newSigningKeyPair()).publicKey }), 'not_found');
    expectRefusal(await other.delete(`/agents/${agentId}/signing-keys/${id}`), 'not_found');
    expectRefusal(await owner.delete(`/agents/${await newAgent()}/signing-keys/${id}`), 'not_found');
    expect((await list(agentId))[0].revoked_at).toBeNull();
  });
});
