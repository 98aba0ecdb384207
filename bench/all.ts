import { newAuthority } from '../server/test/support/certificates.ts';
import { type CompressionResult, measureCompression } from './compression.ts';
import { fillContacts, measureContacts } from './contacts.ts';
import { runDirectInserts } from './direct-inserts.ts';
import { measureTransfers } from './file-transfers.ts';
import { httpRequest, type LoadResult, runLoad } from './http-load.ts';
import { fillInbox, measurePages } from './pages.ts';
import { PAYLOAD, SUBJECT, TYPE } from './payload.ts';
import type { PageResult } from './read-pages.ts';
import { type ServiceUnderTest, startServiceUnderTest } from './service-process.ts';
import { measureWebhooks } from './webhooks.ts';

const CONNECTIONS = 64;
const RECIPIENTS = 1_000;
const ROUNDS = 2;
const ROUND_SECONDS = 8;
const WARM_UP_SECONDS = 3;
const SMALL_INBOX = 1_000;
const LARGE_INBOX = 1_000_000;
const COMPRESSION_SECONDS = 4;
const SMALL_BOOK = 100;
const LARGE_BOOK = 100_000;

interface SendResult {
  name: string;
  http: number;
  direct: number;
  directBy: string;
  ratio: number;
  p50Ms: number;
  p99Ms: number;
}

const progress = (text: string) => console.error(`· ${text}`);

/** Both ways take turns, so that other load on the machine affects both alike. */
async function measureSends(service: ServiceUnderTest, name: string, handles: string[], firstRecipientId: bigint): Promise<SendResult> {
  const sender = await service.createBusiness(`sender-${handles.length}`);
  const rounds: LoadResult[] = [];
  const direct: number[] = [];
  let directBy = '';
  let sent = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    progress(`${name}: over HTTP, round ${round} of ${ROUNDS}`);
    const request = () => {
      const to = handles[sent++ % handles.length];
      return httpRequest('POST', '/v1/messages', sender.key, `{"to":"${to}","type":"${TYPE}","subject":"${SUBJECT}","json":${PAYLOAD}}`);
    };
    rounds.push(
      await runLoad({
        port: service.port,
        connections: CONNECTIONS,
        seconds: ROUND_SECONDS,
        warmUpSeconds: WARM_UP_SECONDS,
        request,
        expectStatus: 201,
      }),
    );
    progress(`${name}: straight into PostgreSQL, round ${round} of ${ROUNDS}`);
    const parties = { senderId: sender.id, firstRecipientId, recipients: handles.length };
    const result = await runDirectInserts(service, parties, CONNECTIONS, ROUND_SECONDS);
    direct.push(result.perSecond);
    directBy = result.by;
  }
  const http = mean(rounds.map(({ perSecond }) => perSecond));
  return {
    name,
    http,
    direct: mean(direct),
    directBy,
    ratio: http / mean(direct),
    p50Ms: mean(rounds.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...rounds.map(({ p99Ms }) => p99Ms)),
  };
}

async function measureLists(
  service: ServiceUnderTest,
): Promise<{ pages: PageResult[]; contacts: PageResult[]; compression: CompressionResult[] }> {
  const sender = await service.createBusiness('prolific');
  await service.createBusiness('silent');
  const small = await service.createBusiness('small');
  const large = await service.createBusiness('large');
  progress(`filling an inbox with ${SMALL_INBOX.toLocaleString('en')} messages, another with ${LARGE_INBOX.toLocaleString('en')}`);
  await fillInbox(service, small.id, sender.id, SMALL_INBOX, PAYLOAD);
  await fillInbox(service, large.id, sender.id, LARGE_INBOX, PAYLOAD);
  progress(`filling an address book with ${SMALL_BOOK.toLocaleString('en')} parties, another with ${LARGE_BOOK.toLocaleString('en')}`);
  await fillContacts(service, small, 'few', SMALL_BOOK);
  await fillContacts(service, large, 'many', LARGE_BOOK);
  progress('reading pages of 50');
  const pages = await measurePages(service, small, large, 'prolific', 'silent');
  const contacts = await measureContacts(service, small, large);
  progress('reading pages of 50 with and without compression');
  return { pages, contacts, compression: await measureCompression(service, small.key, COMPRESSION_SECONDS) };
}

function mean(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

const authority = newAuthority();
const service = await startServiceUnderTest(authority);
try {
  progress(`making ${RECIPIENTS.toLocaleString('en')} recipients`);
  const hot = await service.createBusiness('hot');
  const handles = Array.from({ length: RECIPIENTS }, (_, i) => `recipient-${i}`);
  const recipients = [];
  for (const handle of handles) recipients.push(await service.createBusiness(handle));
  const sends = [
    await measureSends(service, 'one hot recipient', ['hot'], hot.id),
    await measureSends(service, '1,000 recipients', handles, recipients[0]?.id ?? 0n),
  ];
  const webhooks = await measureWebhooks(service, authority, progress);
  const { pages, contacts, compression } = await measureLists(service);
  const transfers = await measureTransfers(service, hot.key, progress);
  const memoryMb = service.takePeakMemoryMb();

  console.log(`\nSends of 1 KB, ${CONNECTIONS} connections`);
  console.table(
    sends.map(({ name, http, direct, directBy, ratio, p50Ms, p99Ms }) => ({
      '': name,
      'over HTTP /s': Math.round(http),
      [`by ${directBy} /s`]: Math.round(direct),
      ratio: ratio.toFixed(2),
      'p50 ms': p50Ms.toFixed(1),
      'p99 ms': p99Ms.toFixed(1),
    })),
  );
  console.log('Webhooks: messages of 1 KB to one HTTPS receiver that verifies them, on the same machine');
  console.table([
    {
      'deliveries /s': Math.round(webhooks.deliveriesPerSecond),
      'bare loop /s': Math.round(webhooks.barePerSecond),
      ratio: webhooks.ratio.toFixed(2),
      'median of turns': webhooks.ofTurns.median.toFixed(2),
      'lowest, highest': `${webhooks.ofTurns.lowest.toFixed(2)}, ${webhooks.ofTurns.highest.toFixed(2)}`,
    },
  ]);
  console.log('From the 201 to the receiver');
  console.table(
    webhooks.latencyAt.map(({ perSecond, p50Ms, p99Ms }) => ({
      'sent /s': perSecond,
      'p50 ms': p50Ms.toFixed(1),
      'p99 ms': p99Ms.toFixed(1),
    })),
  );
  const { alone, besideDead, ratio, firstAttemptP99Ms } = webhooks.isolation;
  console.log('The same receiver beside 100 that never respond, 10,000 attempts waiting for each');
  console.table([
    {
      'alone /s': Math.round(alone),
      'beside them /s': Math.round(besideDead),
      ratio: ratio.toFixed(2),
      'first attempt p99 ms': firstAttemptP99Ms.toFixed(1),
    },
  ]);
  console.log('Pages of 50, as multiples of the first page of an inbox of 1,000');
  console.table(pages.map(({ name, medianMs, ratio }) => ({ '': name, 'median ms': medianMs.toFixed(2), ratio: ratio.toFixed(2) })));
  console.log('Pages of 50 contacts, as multiples of the first page out of 100');
  console.table(contacts.map(({ name, medianMs, ratio }) => ({ '': name, 'median ms': medianMs.toFixed(2), ratio: ratio.toFixed(2) })));
  console.log('Pages of 50 with and without compression, 8 connections');
  console.table(
    compression.map(({ encoding, perSecond, ratio, bytesPerPage }) => ({
      '': encoding,
      'pages /s': Math.round(perSecond),
      ratio: ratio.toFixed(2),
      'bytes a page': Math.round(bytesPerPage),
    })),
  );
  console.log('Files in the data folder, as multiples of what sha256sum hashes in a second');
  console.table(transfers.map(({ name, mbPerSecond, ratio }) => ({ '': name, 'MB/s': Math.round(mbPerSecond), ratio: ratio.toFixed(2) })));
  console.log(`Resident memory of the service, at most: ${Math.round(memoryMb)} MB\n`);
  console.log(JSON.stringify({ sends, webhooks, pages, contacts, compression, transfers, memoryMb }));
} finally {
  await service.stop();
}
