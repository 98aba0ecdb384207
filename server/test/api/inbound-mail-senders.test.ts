import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attached,
  type MailText,
  type MailWorld,
  mailText,
  multipart,
  type SigningOptions,
  SPF_ELSEWHERE,
  SPF_HERE,
  signed,
  startMailWorld,
} from '../support/mail-world.ts';
import type { Reply } from '../support/name-server.ts';
import type { TestBusiness } from '../support/service.ts';

let world: MailWorld;
let globex: TestBusiness;

beforeAll(async () => {
  world = await startMailWorld();
  globex = await world.service.business('globex');
  world.publish('acme-works.test');
  // Only the signature of this domain vouches for its mail.
  world.publish('signs-only.test', { spf: SPF_ELSEWHERE });
  world.publish('mail.signs-only.test', { spf: SPF_ELSEWHERE });
  world.publish('evil.test');
});
afterAll(() => world.stop());

const TAKEN = /^250 2\.0\.0 Delivered as msg_/;
const UNPROVED =
  /^550 5\.7\.26 It is not proved that \S+ sent this: .* Send it through a server that its SPF record names, or sign it with DKIM\.$/;
const LATER = /^451 4\.4\.3 The sender could not be verified because of a DNS failure; try again later\.$/;

async function expectTaken(reply: string, party: object): Promise<void> {
  expect(reply).toMatch(TAKEN);
  expect((await globex.api.get('/inbox?limit=1')).body.data[0].from.party).toMatchObject(party);
}

describe('by SPF', () => {
  const from = (address: string) => mailText({ from: address });
  const deliver = (mailFrom: string, headerFrom: string) => world.deliver({ sender: mailFrom, mail: from(headerFrom) });

  test('a domain whose record names the server that sends is believed', async () => {
    await expectTaken(await deliver('ann@acme-works.test', 'ann@acme-works.test'), { kind: 'domain', domain: 'acme-works.test' });
  });

  test('a mailbox of a consumer domain is a party of its own', async () => {
    world.publish('gmail.com');
    await expectTaken(await deliver('ann@gmail.com', 'Ann@gmail.com'), { kind: 'mailbox', email: 'ann@gmail.com' });
  });

  test('MAIL FROM of a domain of the same organisation will do where a DMARC record says so, and not otherwise', async () => {
    for (const domain of ['bounces.acme-works.test', 'bounces.with-policy.test', 'other.with-policy.test']) world.publish(domain);
    world.publish('with-policy.test', { dmarc: 'v=DMARC1; p=none' });
    await expectTaken(await deliver('b@bounces.with-policy.test', 'ann@with-policy.test'), { domain: 'with-policy.test' });
    await expectTaken(await deliver('ann@with-policy.test', 'ann@eu.with-policy.test'), { domain: 'eu.with-policy.test' });
    await expectTaken(await deliver('ann@other.with-policy.test', 'ann@eu.with-policy.test'), { domain: 'eu.with-policy.test' });
    expect(await deliver('b@bounces.acme-works.test', 'ann@acme-works.test')).toMatch(UNPROVED);
    expect(await deliver('ann@acme-works.test', 'ann@eu.acme-works.test')).toMatch(UNPROVED);
    expect(await deliver('ann@bounces.acme-works.test', 'ann@eu.acme-works.test')).toMatch(UNPROVED);
  });

  test.each([
    ['another domain in MAIL FROM', 'x@evil.test', 'ceo@acme-works.test'],
    ['a domain that ends alike', 'x@evil-acme-works.test', 'ceo@acme-works.test'],
    ['a domain that contains it', 'x@acme-works.test.evil.test', 'ceo@acme-works.test'],
    ['another customer of a host of pages', 'x@mallory.github.io', 'ceo@alice.github.io'],
    ['another domain of the same country', 'x@evil.co.uk', 'ceo@acme-works.co.uk'],
  ])('%s is not believed', async (_, mailFrom, headerFrom) => {
    world.publish(mailFrom.split('@')[1] as string);
    expect(await deliver(mailFrom, headerFrom)).toMatch(UNPROVED);
  });

  test.each([
    ['names other servers', SPF_ELSEWHERE],
    ['names other servers, softly', 'v=spf1 ip4:192.0.2.1 ~all'],
    ['says nothing', 'v=spf1 ?all'],
    ['is none', 'hello'],
    ['is broken', 'v=spf1 ip4:nowhere -all'],
  ])('a domain whose record %s is not believed', async (_, spf) => {
    world.publish('weak.test', { spf });
    expect(await deliver('ann@weak.test', 'ann@weak.test')).toMatch(UNPROVED);
  });

  test('a domain without any record is not believed', async () => {
    expect(await deliver('ann@nowhere.test', 'ann@nowhere.test')).toMatch(UNPROVED);
  });

  test.each<[string, Reply]>([
    ['fail', { error: 'SERVFAIL' }],
    ['refuse', { error: 'REFUSED' }],
    ['do not respond', { silence: true }],
  ])('a domain whose name servers %s may try again', async (_, reply) => {
    world.names.set('shaky.test', reply);
    expect(await deliver('ann@shaky.test', 'ann@shaky.test')).toMatch(LATER);
  });
});

describe('by DKIM', () => {
  const from = 'Ann <ann@signs-only.test>';
  const send = async (text: MailText, options: SigningOptions = {}, change = (mail: string) => mail) => {
    const mail = await signed(mailText({ from, ...text }), { domain: 'signs-only.test', ...options });
    return world.deliver({ sender: 'forwarder@elsewhere.test', mail: change(mail) });
  };

  test('a signature of the domain is believed, whatever server the mail comes from', async () => {
    await expectTaken(await send({}), { domain: 'signs-only.test' });
  });

  test('a signature of a domain of the same organisation will do where a DMARC record says so, and not otherwise', async () => {
    expect(await send({}, { domain: 'mail.signs-only.test' })).toMatch(UNPROVED);
    world.publish('signs-with-policy.test', { spf: SPF_ELSEWHERE, dmarc: 'v=DMARC1; p=none' });
    world.publish('mail.signs-with-policy.test', { spf: SPF_ELSEWHERE });
    const text = { from: 'ann@signs-with-policy.test' };
    await expectTaken(await send(text, { domain: 'mail.signs-with-policy.test' }), { domain: 'signs-with-policy.test' });
  });

  test('a good signature is found behind many of others, and behind none that is made to look like it', async () => {
    const others = Array(20).fill('DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=evil.test; s=y; b=z; bh=z; h=from');
    await expectTaken(await send({}, {}, (mail) => `${others.join('\r\n')}\r\n${mail}`), { domain: 'signs-only.test' });
  });

  test('three signatures are looked at', async () => {
    const bad = (n: number) =>
      `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=signs-only.test; s=n${n}; b=eg==; bh=eg==; h=from:to:subject:date:message-id\r\n`;
    await expectTaken(await send({}, {}, (mail) => bad(1) + bad(2) + mail), { domain: 'signs-only.test' });
    expect(await send({}, {}, (mail) => bad(1) + bad(2) + bad(3) + mail)).toMatch(UNPROVED);
  });

  test.each(['relaxed/relaxed', 'simple/simple', 'relaxed/simple'] as const)(
    'in the form %s, a signature is good for any body',
    async (form) => {
      const bodies = ['', '\r\n', ' \t\r\n\r\n', 'a  b\tc \r\n\r\n \r\nd', ' x\r\n\r\n\r\n', `${'a \t b '.repeat(99)}\r\n`.repeat(300)];
      for (const body of bodies) expect(await send({ body }, { canonicalization: form }), JSON.stringify(body.slice(0, 20))).toMatch(TAKEN);
    },
  );

  const NO_SIGNATURE = 'there is no DKIM signature of the domain in From';
  const NEITHER = 'neither that the domain in From has sent it';
  const PARTLY = 'its DKIM signature covers a part of the body only';
  const NO_SUBJECT = 'its DKIM signature does not cover the header subject';

  test.each<[string, string, MailText, SigningOptions, (mail: string) => string]>([
    ['of another domain', NO_SIGNATURE, {}, { domain: 'evil.test' }, (mail) => mail],
    ['with a changed body', NEITHER, {}, {}, (mail) => mail.replace('Three', 'Four')],
    ['with a changed subject', NEITHER, {}, {}, (mail) => mail.replace('4711', '4712')],
    ['with a changed sender', NEITHER, {}, {}, (mail) => mail.replace('From: Ann <ann@', 'From: Ann <ceo@')],
    ['that does not cover the subject', NO_SUBJECT, {}, { fields: ['From', 'Date'] }, (mail) => mail],
    [
      'that covers no subject, where one was added',
      NO_SUBJECT,
      { subject: null },
      { fields: ['From', 'Date'] },
      (mail) => `Subject: Pay\r\n${mail}`,
    ],
    ['over a part of the body', PARTLY, {}, { maxBodyLength: 10 }, (mail) => mail],
    [
      'over what the body was before something was appended',
      PARTLY,
      {},
      { maxBodyLength: 'Three of A-1, please.\r\n'.length },
      (mail) => `${mail}And send money.\r\n`,
    ],
    ['over nothing of the body', PARTLY, {}, { maxBodyLength: 0 }, (mail) => mail],
    ['of which half is missing', NEITHER, {}, {}, (mail) => mail.replace(/ b=[^;]{20}/, ' b=')],
  ])('a signature %s is not believed', async (_, reason, text, options, change) => {
    const reply = await send(text, options, change);
    expect(reply).toMatch(UNPROVED);
    expect(reply).toContain(reason);
  });

  test('a signature over a given length of the body counts only if it covers the whole body', async () => {
    await expectTaken(await send({}, { maxBodyLength: 'Three of A-1, please.\r\n'.length }), { domain: 'signs-only.test' });
  });

  test('a key that is not there, or was withdrawn, proves nothing', async () => {
    world.publish('gone.test', { spf: SPF_ELSEWHERE });
    for (const reply of [{ error: 'NXDOMAIN' } as const, { txt: ['v=DKIM1; k=rsa; p='] }]) {
      world.names.set('test._domainkey.gone.test', reply);
      expect(await send({ from: 'ann@gone.test' }, { domain: 'gone.test' })).toMatch(UNPROVED);
    }
    world.names.set('test._domainkey.gone.test', { error: 'SERVFAIL' });
    expect(await send({ from: 'ann@gone.test' }, { domain: 'gone.test' })).toMatch(LATER);
  });

  test('with a key whose record is longer than that of any sensible key proves nothing', async () => {
    const fromLongKey = async (keyNote: string) => {
      world.publish('long-key.test', { spf: SPF_ELSEWHERE, keyNote });
      const mail = await signed(mailText({ from: 'ann@long-key.test' }), { domain: 'long-key.test' });
      return world.deliver({ sender: 'ann@long-key.test', mail });
    };
    await expectTaken(await fromLongKey('x'.repeat(1_500)), { domain: 'long-key.test' });
    expect(await fromLongKey('x'.repeat(2_000))).toMatch(UNPROVED);
  });

  describe('where the type of the content is not signed, as some large providers leave it', () => {
    const fields = ['From', 'Subject', 'Date', 'Message-ID', 'To', 'MIME-Version'];
    const parts = multipart('mixed', [
      { headers: ['Content-Type: text/plain'], body: 'I quote:\r\n--theirs\r\n\r\nPay mallory.\r\n--theirs--' },
      attached('a.txt', 'text/plain', 'a'),
    ]);

    test('a body that begins with its boundary is believed', async () => {
      await expectTaken(await send(parts, { fields }), { domain: 'signs-only.test' });
    });

    test('another boundary, which would show another part, counts for nothing', async () => {
      const reply = await send(parts, { fields }, (mail) => mail.replace('boundary="limit"', 'boundary="theirs"'));
      expect(reply).toMatch(TAKEN);
      const { note, files } = (await globex.api.get('/inbox?limit=1')).body.data[0];
      expect(files).toEqual([]);
      expect(note).toBe(parts.body.replaceAll('\r\n', '\n').trimEnd());
    });

    test('and where it is signed, nothing can be changed about it', async () => {
      expect(await send(parts, {}, (mail) => mail.replace('multipart/mixed', 'multipart/alternative'))).toMatch(UNPROVED);
    });
  });
});

describe('with a DMARC record', () => {
  const deliver = (mailFrom: string, headerFrom: string) => world.deliver({ sender: mailFrom, mail: mailText({ from: headerFrom }) });

  test.each(['none', 'quarantine', 'reject'])('p=%s, mail from elsewhere is refused, and its own is taken', async (policy) => {
    const domain = `p-${policy}.test`;
    world.publish(domain, { dmarc: `v=DMARC1; p=${policy}` });
    expect(await deliver('x@evil.test', `ceo@${domain}`)).toMatch(UNPROVED);
    await expectTaken(await deliver(`ann@${domain}`, `ann@${domain}`), { domain });
  });

  test('aspf=s and adkim=s, a domain of the same organisation no longer does', async () => {
    world.publish('strict.test', { spf: SPF_ELSEWHERE, dmarc: 'v=DMARC1; p=reject; aspf=s; adkim=s' });
    world.publish('mail.strict.test');
    expect(await deliver('ann@mail.strict.test', 'ann@strict.test')).toMatch(UNPROVED);
    const mail = mailText({ from: 'ann@strict.test' });
    const byOther = await signed(mail, { domain: 'mail.strict.test' });
    expect(await world.deliver({ sender: 'x@evil.test', mail: byOther })).toMatch(UNPROVED);
    await expectTaken(await world.deliver({ sender: 'x@evil.test', mail: await signed(mail, { domain: 'strict.test' }) }), {
      domain: 'strict.test',
    });
  });

  test('that can’t be looked up, the mail may be tried again', async () => {
    world.publish('shaky-policy.test');
    world.names.set('_dmarc.shaky-policy.test', { error: 'SERVFAIL' });
    expect(await deliver('ann@shaky-policy.test', 'ann@shaky-policy.test')).toMatch(LATER);
  });
});

test('the address that SPF judges is the one that a trusted proxy tells, and no other proxy’s', async () => {
  world.publish('proxied.test', { spf: 'v=spf1 ip4:198.51.100.7 -all' });
  const mail = mailText({ from: 'ann@proxied.test' });
  expect(await world.deliver({ sender: 'ann@proxied.test', mail })).toMatch(UNPROVED);
  const stranger = await world.connect('PROXY TCP4 198.51.100.7 192.0.2.9 40000 25\r\n');
  expect(stranger.greeting).toMatch(/^421 .*You talk too soon/);
  stranger.close();
  const behindProxy = await startMailWorld({ SMTP_PROXIES: '127.0.0.1' });
  try {
    await behindProxy.service.business('globex');
    behindProxy.publish('proxied.test', { spf: 'v=spf1 ip4:198.51.100.7 -all' });
    behindProxy.publish('acme-works.test', { spf: SPF_HERE });
    const client = await behindProxy.connect('PROXY TCP4 198.51.100.7 192.0.2.9 40000 25\r\n');
    await client.say('EHLO client.test');
    expect((await behindProxy.handOver(client, { sender: 'ann@proxied.test', mail })).mail).toMatch(TAKEN);
    const ofProxy = { sender: 'ann@acme-works.test', mail: mailText() };
    expect((await behindProxy.handOver(client, ofProxy)).mail).toMatch(UNPROVED);
    client.close();
  } finally {
    await behindProxy.stop();
  }
});
