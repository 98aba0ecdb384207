import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { parseReceiptToken } from '../../contract/ids.ts';
import { parseHandle } from '../../contract/names.ts';
import { endpointsFor, type HttpResponse, type Route } from '../../http/endpoint.ts';
import { HTML_TYPE } from '../../http/page.ts';
import { findReceipt, type ReadServices } from '../messages/read-messages.ts';
import type { Pages } from './pages.ts';

type PageServices = ReadServices & { publicUrl: string; config: { securityContacts: string[] } };

const NOT_FOR_ROBOTS = ['/v1/', '/auth/', '/objects/', '/log/', '/mcp', '/mail/', '/dev/'];
/** Readers may rely on the contact for this time. */
const SECURITY_CONTACT_DAYS = 180;

const { publicEndpoint } = endpointsFor<PageServices>();

const success = { status: 200, description: 'HTML.', contentType: HTML_TYPE };
const query = Type.Object({}, { additionalProperties: true });

/** web/src/router.tsx maps the same paths to pages. */
export const PAGES = [
  '/',
  '/sign-in',
  '/claim',
  '/device',
  '/welcome',
  '/invitations/:token',
  '/inbox',
  '/outbox',
  '/compose',
  '/threads/:id',
  '/search',
  '/contacts',
  '/contacts/:address',
  '/agents',
  '/members',
  '/domains',
  '/webhooks',
  '/webhooks/:id',
  '/webhooks/:id/messages/:delivery',
  '/consumers',
  '/consumers/:name',
  '/schema',
  '/blocks',
  '/usage',
  '/account',
  '/settings',
];

export function pageRoutes(pages: Pages): Route<PageServices>[] {
  const page = publicEndpoint({ summary: 'A page of the dashboard', query, success, errors: [], handle: async () => pages.show() });

  const pdfFrame = publicEndpoint({
    summary: 'The frame in which pages draw PDFs',
    query,
    success,
    errors: [],
    handle: async () => pages.showPdf(),
  });

  const verifier = publicEndpoint({
    summary: 'A page that verifies proofs from disk, to be kept',
    query,
    success,
    errors: [],
    handle: async () => pages.showVerifier(),
  });

  const dropPage = publicEndpoint({
    summary: 'The page on which anybody can write to a business',
    params: Type.Object({ handle: Type.String() }),
    query,
    success,
    errors: [],
    handle: async ({ parties }, { params }) => {
      const handle = parseHandle(params.handle);
      return unlisted(pages.show(handle !== undefined && (await parties.byHandle(handle)) ? 200 : 404));
    },
  });

  const receiptPage = publicEndpoint({
    summary: 'The receipt as a page for people',
    params: Type.Object({ token: Type.String({ description: 'rcpt_ token' }) }),
    query,
    success,
    errors: [],
    handle: async (context, { params }) => unlisted(pages.show((await findReceipt(context, parseReceiptToken(params.token))) ? 200 : 404)),
  });

  const asset = publicEndpoint({
    summary: 'An asset of the pages',
    // The frame without an origin (pdf.html) loads assets.
    isCrossOrigin: true,
    params: Type.Object({ name: Type.String() }),
    success: { status: 200, description: 'A script, style sheet, font or image.' },
    errors: ['not_found'],
    handle: async (_context, { params, request }) => {
      const found = pages.asset(params.name, request);
      if (!found) throw new Refusal('not_found', 'The file was not found. The page may be of an older version: reload it.');
      return found;
    },
  });

  return [
    ...PAGES.map((path): Route<PageServices> => ['GET', path, 'public unlimited', page]),
    ['GET', '/pdf.html', 'public unlimited', pdfFrame],
    ['GET', '/verify.html', 'public unlimited', verifier],
    ['GET', '/@:handle', 'public', dropPage],
    ['GET', '/r/:token', 'public', receiptPage],
    ['GET', '/assets/:name', 'public unlimited', asset],
  ];
}

/** Anyone with the link may read the page. Search engines leave it out of their results. */
function unlisted(response: HttpResponse): HttpResponse {
  return { ...response, headers: { ...response.headers, 'x-robots-tag': 'noindex' } };
}

const text = { status: 200, description: 'Text.', contentType: 'text/plain; charset=utf-8' };

/** Receipts and drop pages are not disallowed here: a search engine that may not read a page does not see that it must not be listed. */
const robots = publicEndpoint({
  summary: 'What search engines may read',
  success: text,
  errors: [],
  handle: async () => ({ body: ['User-agent: *', ...NOT_FOR_ROBOTS.map((path) => `Disallow: ${path}`), ''].join('\n') }),
});

/** RFC 9116. */
const securityContact = publicEndpoint({
  summary: 'Where to report a vulnerability of this service',
  success: text,
  errors: ['not_found'],
  handle: async ({ config: { securityContacts }, publicUrl }) => {
    if (securityContacts.length === 0) throw new Refusal('not_found', 'The operator has named no contact.');
    const expires = new Date(Date.now() + SECURITY_CONTACT_DAYS * 24 * 3_600_000).toISOString().replace(/T.*/, 'T00:00:00Z');
    const lines = [...securityContacts.map((contact) => `Contact: ${contact}`), `Expires: ${expires}`, 'Preferred-Languages: en'];
    return { body: [...lines, `Canonical: ${publicUrl}/.well-known/security.txt`, ''].join('\n') };
  },
});

export const agreedTexts: readonly Route<PageServices>[] = [
  ['GET', '/robots.txt', 'public unlimited', robots],
  ['GET', '/.well-known/security.txt', 'public unlimited', securityContact],
];
