import { Type } from 'typebox';
import { COLOUR_CHARS } from '../../contract/colour.ts';
import { Refusal } from '../../contract/errors.ts';
import { LOGO_MAX_BYTES, LOGO_MAX_PIXELS_PER_SIDE, WELCOME_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import type { PartyDirectory } from '../parties/directory.ts';
import { claimedAs } from '../parties/profile.ts';
import { changeDropPage, type DropPage, findLogo, getDropPage } from './drop-page.ts';

const { memberEndpoint, publicEndpoint } = endpointsFor<{ database: Database; parties: PartyDirectory }>();

const welcome = Type.String({ maxLength: WELCOME_MAX_CHARS, description: 'A text above the form; empty for none.' });
const accent = Type.Union([Type.String({ maxLength: COLOUR_CHARS }), Type.Null()], {
  description: 'A colour such as #1f5fd0, on which white text can be read (4.5:1); null for none.',
});

const DropPageSchema = Type.Object(
  {
    welcome,
    accent,
    logo_path: Type.Union([Type.String(), Type.Null()], {
      description: 'The path of the logo at this service, which changes with the logo; null without one.',
    }),
  },
  { $id: 'DropPage', ...closed },
);

export const show = memberEndpoint({
  summary: 'Get what your drop page shows',
  success: { status: 200, description: 'What the drop page shows.', schema: DropPageSchema },
  errors: [],
  handle: async ({ database }, { caller: { business } }) => ({ body: pageView(business.handle, await getDropPage(database, business)) }),
});

export const change = memberEndpoint({
  summary: 'Change what your drop page shows',
  body: Type.Object(
    {
      welcome: Type.Optional(welcome),
      accent: Type.Optional(accent),
      logo: Type.Optional(
        Type.Union([Type.String({ maxLength: Math.ceil(LOGO_MAX_BYTES / 3) * 4 }), Type.Null()], {
          description: `A PNG, JPEG or WebP image in base64, of at most ${LOGO_MAX_BYTES} bytes and ${LOGO_MAX_PIXELS_PER_SIDE} × ${LOGO_MAX_PIXELS_PER_SIDE} pixels; null for none.`,
        }),
      ),
    },
    { ...closed, minProperties: 1 },
  ),
  success: { status: 200, description: 'What the drop page shows now.', schema: DropPageSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async ({ database }, { caller: { business }, body }) => ({
    body: pageView(business.handle, await changeDropPage(database, business, body)),
  }),
});

const params = Type.Object({ handle: Type.String() });

export const published = publicEndpoint({
  summary: 'Get what the drop page of a business shows',
  isCrossOrigin: true,
  params,
  success: { status: 200, description: 'What the drop page shows.', schema: DropPageSchema },
  errors: ['not_found'],
  handle: async ({ database, parties }, { params }) => {
    const business = await claimedAs(parties, params.handle);
    return { body: pageView(business.handle, await getDropPage(database, business)) };
  },
});

/** A browser neither runs nor sniffs a file that a business has chosen. */
const HARMLESS = { 'content-security-policy': "sandbox; default-src 'none'", 'x-content-type-options': 'nosniff' };
/** A changed logo has another path, so browsers may cache it forever. */
const KEPT = 'public, max-age=31536000, immutable';

export const logo = publicEndpoint({
  summary: 'Get the logo of a business',
  isCrossOrigin: true,
  params,
  query: Type.Object({ v: Type.Optional(Type.String({ maxLength: 64, description: 'The version in `logo_path`.' })) }, closed),
  success: { status: 200, description: 'The image.', contentType: 'image/png' },
  errors: ['not_found', 'validation_error'],
  handle: async ({ database, parties }, { params, query }) => {
    const found = await findLogo(database, await claimedAs(parties, params.handle));
    if (!found) throw new Refusal('not_found', 'The business has no logo.');
    const caching = query.v === found.hash ? KEPT : 'no-cache';
    return { headers: { ...HARMLESS, 'content-type': found.type, 'cache-control': caching }, body: found.bytes };
  },
});

function pageView(handle: string, { welcome, accent, logoHash }: DropPage) {
  return { welcome, accent, logo_path: logoHash === null ? null : `/v1/public/${handle}/logo?v=${logoHash}` };
}
