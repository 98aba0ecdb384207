import { once } from 'node:events';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import { createTCPServer, createUDPServer, Packet } from 'dns2';

/**
 * The DNS response to a query: addresses of the requested family, texts and mail servers beside them, another name, an error by its number,
 * meaningless bytes, or nothing. Each may come late.
 */
export type Reply =
  | readonly string[]
  | Records
  | { alias: string }
  | { error: keyof typeof Packet.RCODE }
  | { garbage: true }
  | { silence: true }
  | { lateMs: number; reply: Reply };

export interface NameServer {
  address: string;
  /** The first query of a type gets the first reply, the next one the next, and all others the last. */
  set(name: string, ...replies: [Reply, ...Reply[]]): void;
  /** The types of queries about a name, in order: `A`, `AAAA`, `TXT` or `MX`. */
  questionsAbout(name: string): string[];
  stop(): Promise<void>;
}

/** A text of several strings is sent as such, and a long one is split. */
type Records = { txt?: readonly (string | readonly string[])[]; mx?: readonly string[]; addresses?: readonly string[] };

const ALIASES_MAX = 8;
const TYPES = new Map<number, string>([
  [Packet.TYPE.A, 'A'],
  [Packet.TYPE.AAAA, 'AAAA'],
  [Packet.TYPE.TXT, 'TXT'],
  [Packet.TYPE.MX, 'MX'],
]);

/** A real name server on loopback, by UDP and TCP. It knows only the names that tests set. */
export async function startNameServer(): Promise<NameServer> {
  const zone = new Map<string, readonly Reply[]>();
  const questions: { name: string; type: string }[] = [];
  const connections = new Set<Socket>();

  const replyTo = (name: string, type: string): Reply => {
    const replies = zone.get(name) ?? [{ error: 'NXDOMAIN' }];
    const asked = questions.filter((earlier) => earlier.name === name && earlier.type === type).length;
    questions.push({ name, type });
    return replies[Math.min(asked, replies.length - 1)] as Reply;
  };
  const respond = (request: Packet, send: (response: Packet | Buffer) => Promise<Buffer>) => {
    const [question] = request.questions;
    const type = TYPES.get(question?.type ?? 0);
    if (question === undefined || type === undefined) return;
    const response = Packet.createResponseFromRequest(request);
    const fill = (name: string, reply: Reply, hops = 0): void => {
      if ('silence' in reply) return;
      const add = (record: { type: number; domain?: string; address?: string; data?: string[]; exchange?: string; priority?: number }) =>
        response.answers.push({ name, class: Packet.CLASS.IN, ttl: 0, ...record } as (typeof response.answers)[number]);
      if ('lateMs' in reply) {
        setTimeout(() => fill(name, reply.reply, hops), reply.lateMs).unref();
      } else if ('alias' in reply && hops < ALIASES_MAX) {
        add({ type: Packet.TYPE.CNAME, domain: reply.alias });
        fill(reply.alias, replyTo(reply.alias, type), hops + 1);
      } else {
        if ('error' in reply) response.header.rcode = Packet.RCODE[reply.error];
        const { addresses = [], txt = [], mx = [] } = Array.isArray(reply) ? { addresses: reply } : (reply as Records);
        const family = { A: 4, AAAA: 6 }[type];
        for (const address of addresses) if (isIP(address) === family) add({ type: question.type, address });
        if (type === 'TXT')
          for (const text of txt)
            add({ type: question.type, data: typeof text === 'string' ? (text.match(/.{1,255}/gs) ?? ['']) : [...text] });
        if (type === 'MX') for (const exchange of mx) add({ type: question.type, exchange, priority: 10 });
        void Promise.resolve(send('garbage' in reply ? Buffer.from('not a DNS message') : response)).catch(() => {});
      }
    };
    const name = question.name.toLowerCase();
    fill(name, replyTo(name, type));
  };

  const tcp = createTCPServer(respond).on('connection', (socket: Socket) => connections.add(socket));
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createUDPServer(respond);
  await udp.listen(port, '127.0.0.1');
  return {
    address: `127.0.0.1:${port}`,
    set: (name, ...replies) => {
      zone.set(name, replies);
      questions.splice(0, questions.length, ...questions.filter((question) => question.name !== name));
    },
    questionsAbout: (name) => questions.filter((question) => question.name === name).map(({ type }) => type),
    stop: async () => {
      for (const socket of connections) socket.destroy();
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}
