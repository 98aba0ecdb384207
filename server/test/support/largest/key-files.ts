import { DOMAIN_KEY_FILE_MAX_BYTES, DOMAIN_KEYS_PER_HANDLE_MAX } from '../../../src/contract/limits.ts';
import type { ApiResponse } from '../api.ts';
import type { KeyDomains } from '../key-domains.ts';
import type { MemberApi } from '../member.ts';
import type { TestService } from '../service.ts';

/** Files of keys that take longest to read: each at a domain of its own. */
export function largestKeyFiles(
  service: TestService,
  owner: MemberApi,
  domains: KeyDomains,
): Record<string, (() => Promise<ApiResponse>)[]> {
  const keys = Array.from({ length: DOMAIN_KEYS_PER_HANDLE_MAX }, (_, i) => Buffer.alloc(32, 255 - i).toString('base64'));
  const full = JSON.stringify({ handles: { [owner.handle]: keys } });
  const deep = '['.repeat(DOMAIN_KEY_FILE_MAX_BYTES / 2) + ']'.repeat(DOMAIN_KEY_FILE_MAX_BYTES / 2);
  const many = JSON.stringify({ handles: { [owner.handle]: Array(20_000).fill(1) } }).padEnd(DOMAIN_KEY_FILE_MAX_BYTES);
  const files: Parameters<KeyDomains['publish']>[1][] = [
    full.padEnd(DOMAIN_KEY_FILE_MAX_BYTES),
    deep,
    many,
    (response) => {
      response.cork();
      for (const letter of full.padEnd(60_000)) response.write(letter);
      response.end();
    },
  ];
  const claimed = new Set<string>();
  return {
    'POST /v1/domains/:domain/keys/check': files.map((file, i) => async () => {
      const domain = `largest-${i}.keys.test`;
      // Other requests leave as many domains as a business can have.
      await service.sql(`DELETE FROM domain_requests WHERE domain NOT LIKE 'largest-%'`);
      if (!claimed.has(domain)) await domains.claim(owner, domain);
      claimed.add(domain);
      domains.publish(domain, file);
      await service.sql(`UPDATE domain_key_files SET asked_at = now() - interval '1 hour'`);
      return owner.post(`/domains/${domain}/keys/check`);
    }),
  };
}
