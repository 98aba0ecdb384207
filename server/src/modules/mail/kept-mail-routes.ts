import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { KEPT_MAILS_MAX } from '../../contract/limits.ts';
import { type Call, endpointsFor, type HttpResponse } from '../../http/endpoint.ts';
import { HTML_TYPE } from '../../http/page.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { KEPT_MAILS_PATH, type KeptMailAccess } from './kept-mail-access.ts';
import { keptMailJson, keptMailPage, keptMailsPage, lockedPage } from './kept-mail-pages.ts';
import { findMail, type KeptMail, listMails } from './kept-mail-store.ts';

interface KeptMailServices {
  database: Database;
  keptMailAccess: KeptMailAccess;
  publicUrl: string;
}

const { publicEndpoint } = endpointsFor<KeptMailServices>();

function refuseOthers({ keptMailAccess }: KeptMailServices, { request }: Call): void {
  if (!keptMailAccess.isOpenTo(request)) throw new Refusal('forbidden', 'Open the link to the mails that Waybill printed at its start.');
}

const success = { status: 200, description: 'HTML.', contentType: HTML_TYPE };
const params = Type.Object({ id: Type.String() });
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const list = publicEndpoint({
  summary: 'The mails that are kept because there is no mail server',
  query: Type.Object({ format: Type.Optional(Type.Literal('json')), token: Type.Optional(Type.String()) }, { additionalProperties: false }),
  success,
  errors: ['forbidden'],
  handle: async (context, call) => {
    const { database, keptMailAccess, publicUrl } = context;
    const { format, token } = call.query;
    const hasToken = keptMailAccess.fits(token);
    if (format === 'json') {
      if (!hasToken) refuseOthers(context, call);
      return withNoStore(keptMailJson(await listMails(database, KEPT_MAILS_MAX)));
    }
    // The cookie replaces the token, which would otherwise stay in the browser's history.
    if (hasToken)
      return withNoStore({ status: 303, headers: { location: KEPT_MAILS_PATH, 'set-cookie': keptMailAccess.cookieFor(publicUrl) } });
    if (!keptMailAccess.isOpenTo(call.request)) return withNoStore(lockedPage());
    return withNoStore(keptMailsPage(await listMails(database, KEPT_MAILS_MAX)));
  },
});

export const show = publicEndpoint({
  summary: 'A kept mail, with its text and its HTML',
  params,
  success,
  errors: ['forbidden', 'not_found'],
  handle: async (context, call) => {
    refuseOthers(context, call);
    const { database } = context;
    return withNoStore(keptMailPage(await mailWith(call.params.id, (id) => findMail(database, id))));
  },
});

/** The HTML of a mail is sandboxed: it neither runs nor fetches anything, and links open in a new tab. */
export const showHtml = publicEndpoint({
  summary: 'The HTML of a kept mail',
  params,
  success,
  errors: ['forbidden', 'not_found'],
  handle: async (context, call) => {
    refuseOthers(context, call);
    const { database } = context;
    const { mail } = await mailWith(call.params.id, (id) => findMail(database, id));
    const policy =
      "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'";
    return withNoStore({ headers: { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' }, body: mail.html });
  },
});

async function mailWith(id: string, find: (id: string) => Promise<KeptMail | undefined>): Promise<KeptMail> {
  const mail = UUID.test(id) ? await find(id) : undefined;
  if (!mail) throw new Refusal('not_found', 'The mail was not found.');
  return mail;
}

function withNoStore(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, 'cache-control': 'no-store' } };
}
