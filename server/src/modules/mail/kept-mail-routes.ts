import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { publicEndpoint } from '../../context.ts';
import { Refusal } from '../../contract/errors.ts';
import { KEPT_MAILS_MAX } from '../../contract/limits.ts';
import type { Answer } from '../../http/endpoint.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { isFromThisMachine } from './kept-mail-access.ts';
import { keptMailJson, keptMailPage, keptMailsPage } from './kept-mail-pages.ts';
import { findMail, type KeptMail, listMails } from './kept-mail-store.ts';

function refuseOthers(request: FastifyRequest): void {
  if (!isFromThisMachine(request)) throw new Refusal('not_found', 'There is no such path.');
}

const success = { status: 200, description: 'HTML.', contentType: HTML_TYPE };
const params = Type.Object({ id: Type.String() });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const list = publicEndpoint({
  summary: 'Mails that were kept, because there is no mail server',
  query: Type.Object({ format: Type.Optional(Type.Literal('json')) }, { additionalProperties: false }),
  success,
  errors: ['not_found'],
  handle: async ({ database }, { request, query }) => {
    refuseOthers(request);
    const mails = await listMails(database, KEPT_MAILS_MAX);
    return unstored(query.format === 'json' ? keptMailJson(mails) : keptMailsPage(mails));
  },
});

export const show = publicEndpoint({
  summary: 'One of them, with its text and its HTML',
  params,
  success,
  errors: ['not_found'],
  handle: async ({ database }, { request, params }) => {
    refuseOthers(request);
    return unstored(keptMailPage(await mailWith(params.id, (id) => findMail(database, id))));
  },
});

/** As the mail has it, but without any power: it neither runs nor fetches anything, and links open apart from it. */
export const showHtml = publicEndpoint({
  summary: 'The HTML of one of them',
  params,
  success,
  errors: ['not_found'],
  handle: async ({ database }, { request, params }) => {
    refuseOthers(request);
    const { mail } = await mailWith(params.id, (id) => findMail(database, id));
    const policy =
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";
    return unstored({ headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }, body: mail.html });
  },
});

async function mailWith(id: string, find: (id: string) => Promise<KeptMail | undefined>): Promise<KeptMail> {
  const mail = UUID.test(id) ? await find(id) : undefined;
  if (!mail) throw new Refusal('not_found', 'There is no such mail.');
  return mail;
}

function unstored(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } };
}
