import { execFileSync } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { afterAll, describe, expect, test } from 'vitest';
import {
  type Bundle,
  type BundleToken,
  type Check,
  formatBundle,
  parseCertificate,
  parseRevocationList,
  requireNotRevoked,
  verifyBundle,
  verifyTimestamp,
} from '../src/index.ts';
import { type CheckedToken, checkToken, endOf } from '../src/renewal.ts';
import { Authority, type AuthoritySettings } from './support/authority.ts';
import { bundleOf, policy } from './support/sample.ts';
import { said } from './support/sample-message.ts';

/* Timestamps that are verified long after: lists of revoked certificates, and renewals. OpenSSL plays the authority. */

const TEXT = 'waybill.example.com/log\n40\n…\n';
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;
const P256 = ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'];
const authorities: Authority[] = [];
function authority(settings?: AuthoritySettings): Authority {
  const made = new Authority({ key: P256, hasChain: true, ...settings });
  authorities.push(made);
  return made;
}
afterAll(() => {
  for (const one of authorities) one.close();
});

function hasOpenssl(): boolean {
  try {
    return execFileSync('openssl', ['version'], { encoding: 'utf8' }).startsWith('OpenSSL 3');
  } catch {
    console.warn('Timestamps were not tried: there is no OpenSSL 3.');
    return false;
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
const stampText = (by: Authority, text: string, ...more: string[]) => base64(by.stamp(new TextEncoder().encode(text), ...more));
const timesIn = (checks: readonly Check[]) =>
  checks.flatMap((check) => (check.part === 'time' ? [`${check.state === 'failed' ? check.reason : check.state}: ${check.text}`] : []));

describe.runIf(hasOpenssl())('a list of revoked certificates', () => {
  const check = (by: Authority, token: string, ...lists: Uint8Array[]) =>
    checkToken({ token, ...(lists.length > 0 && { crls: lists.map(base64) }) }, TEXT, [parseCertificate(by.root)]);

  test('says when the certificate of the authority was not revoked', async () => {
    const tsa = authority();
    const token = stampText(tsa, TEXT);
    expect((await check(tsa, token)).notRevokedAt).toBeUndefined();
    const { notRevokedAt } = await check(tsa, token, tsa.list());
    expect(Math.abs(Date.now() - (notRevokedAt?.getTime() ?? 0))).toBeLessThan(10_000);
    // That of another authority says nothing of this one, and one that had ended before the timestamp is too old.
    const early = tsa.list({ forS: 1 });
    await setTimeout(2_100);
    const later = stampText(tsa, TEXT);
    expect((await check(tsa, later, early)).notRevokedAt).toBeUndefined();
    expect((await check(tsa, later, early, authority({ name: 'Other root' }).list())).notRevokedAt).toBeUndefined();
    expect((await check(tsa, later, early, tsa.list())).notRevokedAt).toBeInstanceOf(Date);
  });

  test.each([
    [[], 'revoked-authority'],
    [['keyCompromise'], 'revoked-authority'],
    [['CACompromise'], 'revoked-authority'],
    [['superseded'], 'fine'],
    [['cessationOfOperation'], 'fine'],
    [['affiliationChanged'], 'fine'],
  ])('with the reason “%s” takes earlier timestamps away, or not, as RFC 3161 says', async (reason, expected) => {
    const tsa = authority();
    const before = stampText(tsa, TEXT);
    await setTimeout(1_100);
    tsa.revoke(...reason);
    await setTimeout(1_100);
    const after = stampText(tsa, TEXT);
    const list = tsa.list();
    const resultOf = (token: string) =>
      check(tsa, token, list).then(
        () => 'fine',
        ({ reason: code }) => code,
      );
    expect([await resultOf(before), await resultOf(after)]).toEqual([expected, 'revoked-authority']);
    // Of those who don't trust the authority, too.
    await expect(checkToken({ token: after, crls: [base64(list)] }, TEXT, [])).rejects.toMatchObject({ reason: 'revoked-authority' });
  });

  test('is signed by the root, also with RSA-PSS, and accepted with no bit changed', async () => {
    const pss = authority({ isRootPss: true });
    expect((await check(pss, stampText(pss, TEXT), pss.list())).notRevokedAt).toBeInstanceOf(Date);
    const tsa = authority();
    const stamp = await verifyTimestamp(tsa.stamp(new TextEncoder().encode(TEXT)), new TextEncoder().encode(TEXT));
    const list = tsa.list();
    const accepted: number[] = [];
    for (let bit = 0; bit < list.length * 8; bit++) {
      const flipped = list.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      try {
        if (await requireNotRevoked(stamp, [parseRevocationList(flipped)])) accepted.push(bit);
      } catch (error) {
        expect(error).toMatchObject({ name: 'ProofError' });
      }
    }
    expect(accepted).toEqual([]);
  });

  test('that is of a part of the certificates says nothing of others, and one that is not understood is refused', async () => {
    const listUrl = 'http://crl.example.com/tsa.crl';
    const tsa = authority({ listUrl });
    const token = stampText(tsa, TEXT);
    const saysSo = async (scope: string) =>
      (await check(tsa, token, tsa.list({ scope })).catch(({ reason }) => ({ notRevokedAt: reason }))).notRevokedAt;
    for (const scope of [`fullname = URI:${listUrl}`, 'onlyuser = TRUE', `fullname = URI:${listUrl}\nonlyuser = TRUE`])
      expect(await saysSo(scope), scope).toBeInstanceOf(Date);
    for (const scope of ['fullname = URI:http://crl.example.com/others.crl', 'onlyCA = TRUE'])
      expect(await saysSo(scope), scope).toBeUndefined();
    for (const scope of ['onlysomereasons = keyCompromise,superseded', 'indirectCRL = TRUE', 'onlyAA = TRUE'])
      expect(await saysSo(scope), scope).toBe('malformed');
  });

  test('of thousands of certificates has each of them, and takes the time of a few signatures', async () => {
    const tsa = authority();
    tsa.revokeOthers(6_000);
    const token = stampText(tsa, TEXT);
    const list = tsa.list();
    expect(list.length).toBeGreaterThan(200_000);
    expect((await check(tsa, token, list)).notRevokedAt).toBeInstanceOf(Date);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const start = process.cpuUsage();
      expect(parseRevocationList(list).entries).toHaveLength(6_000);
      times.push(process.cpuUsage(start).user / 1_000);
    }
    expect(Math.min(...times)).toBeLessThan(60);
    tsa.revoke('keyCompromise');
    await expect(check(tsa, token, tsa.list())).rejects.toMatchObject({ reason: 'revoked-authority' });
  });

  test('names its address in the certificate', () => {
    const listUrl = 'http://crl.example.com/tsa.crl';
    expect(parseCertificate(authority({ listUrl }).signer).revocationUrls).toEqual([listUrl]);
    expect(parseCertificate(authority({ listUrl: 'ldap://crl.example.com/tsa' }).signer).revocationUrls).toEqual([]);
    expect(parseCertificate(authority().signer).revocationUrls).toEqual([]);
  });
});

describe.runIf(hasOpenssl())('a renewal', () => {
  const renewed = async (by: Authority, issued: { first: Date; second?: Date }, pauseMs = 0): Promise<Bundle> => {
    const words = said();
    words.timestamp = {};
    return bundleOf(words, async (what, text): Promise<BundleToken> => {
      if (what === 'timestamp') by.issueSigner(issued.first);
      else {
        await setTimeout(pauseMs);
        by.issueSigner(issued.second);
      }
      return { token: stampText(by, text), crls: [base64(by.list())] };
    });
  };
  const verify = async (by: Authority, bundle: Bundle, now?: Date) => {
    const { verdict, checks } = await verifyBundle(formatBundle(bundle), { policy, tsaCertificates: [by.root], now });
    const [line = '', ...others] = timesIn(checks);
    return { verdict, line, last: others.at(-1) };
  };

  test('vouches for a timestamp whose certificate has ended', async () => {
    const tsa = authority();
    const bundle = await renewed(tsa, { first: new Date(Date.now() + DAY_MS), second: new Date(Date.now() + 3 * YEAR_MS) });
    const alone = structuredClone(bundle);
    delete alone.timestamps?.[0]?.renewals;
    const at = (ms: number) => new Date(Date.now() + ms);
    expect((await verify(tsa, alone)).line).toMatch(
      /^verified: In the log before .* whom you trust\. Its certificate was not revoked, says a list of/,
    );
    const ended = await verify(tsa, alone, at(2 * DAY_MS));
    expect(ended.line).toMatch(/^unchecked: Test timestamps says: .*But the certificate, or its algorithm, ended at .*receipt renew/);
    expect((await verify(tsa, bundle, at(2 * DAY_MS))).line).toMatch(
      /^verified: In the log before .*\. Renewed at .* by Test timestamps\.$/,
    );
    expect(await verify(tsa, bundle, at(4 * YEAR_MS))).toMatchObject({
      verdict: 'verified',
      line: expect.stringMatching(/^unchecked: .*ended at/),
    });
  });

  test('vouches no longer than the algorithm', async () => {
    const tsa = authority();
    const bundle = await renewed(tsa, { first: new Date(Date.now() + DAY_MS) });
    expect((await verify(tsa, bundle, new Date('2035-12-30T00:00:00Z'))).line).toMatch(/^verified/);
    expect((await verify(tsa, bundle, new Date('2036-01-01T00:00:00Z'))).line).toMatch(/^unchecked: .*ended at 2035-12-31/);
    const short = authority({ key: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'] });
    const ofShort = await renewed(short, { first: new Date(Date.now() + DAY_MS) });
    expect((await verify(short, ofShort, new Date('2031-01-01T00:00:00Z'))).line).toMatch(/^unchecked: .*ended at 2030-12-31/);
  });

  test('that comes too late is refused', async () => {
    const tsa = authority();
    const bundle = await renewed(tsa, { first: new Date(Date.now() + 2_000) }, 3_500);
    expect(await verify(tsa, bundle)).toMatchObject({
      verdict: 'failed',
      line: expect.stringMatching(/^renewal-too-late: .*had ended at/),
    });
  });

  test('that is earlier than what it renews is refused', async () => {
    const tsa = authority();
    const stamps: CheckedToken[] = [];
    for (const _ of [1, 2]) {
      stamps.push(await checkToken({ token: stampText(tsa, TEXT) }, TEXT, []));
      await setTimeout(1_100);
    }
    expect(endOf(stamps).getTime()).toBeGreaterThan(Date.now());
    expect(() => endOf(stamps.toReversed())).toThrow(expect.objectContaining({ reason: 'renewal-too-early' }));
  });

  test('by an authority that you do not trust says nothing', async () => {
    const [tsa, other] = [authority(), authority()];
    const words = said();
    words.timestamp = {};
    const ends = new Date(Date.now() + DAY_MS);
    tsa.issueSigner(ends);
    const bundle = await bundleOf(words, async (what, text) => ({ token: stampText(what === 'timestamp' ? tsa : other, text) }));
    expect((await verify(tsa, bundle)).line).toMatch(
      /^verified: [^.]*\.\d+Z, signed by [^.]* whom you trust\. Whether its certificate was revoked, the file does not say\.$/,
    );
    expect((await verify(tsa, bundle, new Date(ends.getTime() + DAY_MS))).line).toMatch(/^unchecked: .*ended at/);
  });
});

describe.runIf(hasOpenssl())('a timestamp of the file itself', () => {
  const stampFile = (by: Authority, bundle: Bundle): Bundle => {
    const token = stampText(by, formatBundle(bundle), '-sha512');
    return { ...bundle, renewals: [...(bundle.renewals ?? []), { hash: 'sha512', token, crls: [base64(by.list())] }] };
  };
  const verify = (by: Authority, bundle: Bundle, now?: Date) =>
    verifyBundle(formatBundle(bundle), { policy, tsaCertificates: [by.root], now }).then(({ checks }) => timesIn(checks));

  test('vouches for the timestamps in it, and for each other', async () => {
    const tsa = authority({ endsAt: new Date(Date.now() + DAY_MS) });
    const bundle = await bundleOf(said(), async (_, text) => ({ token: stampText(tsa, text) }));
    const later = new Date(Date.now() + 2 * DAY_MS);
    expect(await verify(tsa, bundle, later)).toEqual([expect.stringMatching(/^unchecked: .*ended/), expect.anything()]);
    tsa.issueSigner(new Date(Date.now() + 3 * DAY_MS));
    const once = stampFile(tsa, bundle);
    const lines = await verify(tsa, once, later);
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^verified: This file was there before .* whom you trust/),
      expect.stringMatching(/^verified: In the log before .* Renewed at .* by Test timestamps\.$/),
    ]);
    const muchLater = new Date(Date.now() + 4 * DAY_MS);
    expect((await verify(tsa, once, muchLater)).slice(0, 2)).toEqual([
      expect.stringMatching(/^unchecked/),
      expect.stringMatching(/^unchecked/),
    ]);
    tsa.issueSigner();
    expect((await verify(tsa, stampFile(tsa, once), muchLater)).slice(0, 2)).toEqual([
      expect.stringMatching(/^verified/),
      expect.stringMatching(/^verified/),
    ]);
  });

  test('is of the whole file: nothing can be left out, changed or exchanged', async () => {
    const tsa = authority();
    const bundle = await bundleOf(said());
    const twice = stampFile(tsa, stampFile(tsa, bundle));
    const failures = async (changed: Bundle) => (await verify(tsa, changed)).filter((line) => !/^(verified|unchecked)/.test(line));
    expect(await failures(twice)).toEqual([]);
    const { acknowledgements: _, ...less } = twice;
    expect(await failures(less)).toEqual([expect.stringMatching(/^another-checkpoint: /)]);
    expect(await failures({ ...twice, renewals: (twice.renewals ?? []).slice(1) })).toEqual([
      expect.stringMatching(/^another-checkpoint: /),
    ]);
    const wrongHash = { hash: 'sha512' as const, token: stampText(tsa, formatBundle(bundle)) };
    expect(await failures({ ...bundle, renewals: [wrongHash] })).toEqual([expect.stringMatching(/^malformed: .*not by the hash/)]);
  });

  test('is the first time that others state of a message without timestamps', async () => {
    const tsa = authority();
    const words = said();
    words.witnesses.newest = 0;
    const bundle = await bundleOf(words);
    const { checks } = await verifyBundle(formatBundle(stampFile(tsa, bundle)), {
      vkeys: [bundle.log.vkey, ...(bundle.other_logs ?? []).map(({ vkey }) => vkey)],
      tsaCertificates: [tsa.root],
    });
    expect(timesIn(checks).at(-1)).toMatch(/^unchecked: Test timestamps says that it was in the log at .*service’s word/);
  });
});
