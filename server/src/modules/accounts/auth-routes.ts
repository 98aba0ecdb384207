import { Type } from 'typebox';
import { CODE_DIGITS, PASSKEY_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { refuseOtherSites } from '../../http/own-origin.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { notePasskeyProof } from './passkeys.ts';
import { refuseUnlessOffered, type SignIn } from './sign-in.ts';

const { personEndpoint, publicEndpoint } = endpointsFor<{ database: Database; signIn: SignIn; publicUrl: string }>();

/** The paths of better-auth that are exposed, under its own names. Their input is checked here first. */

const success = { status: 200, description: 'Done.' };
const email = Type.String({ maxLength: 320 });
const uuid = Type.String({ pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' });
const passkeyName = Type.String({ minLength: 1, maxLength: PASSKEY_NAME_MAX_CHARS });
/** A path of our own, so that nobody is redirected elsewhere after signing in. */
const ownPath = Type.String({ maxLength: 2_000, pattern: '^/(?!/)[!-\\[\\]-~]*$' });
/** The other fields are for the library, which accepts anything there. */
const credential = Type.Object(
  { id: Type.String({ pattern: '^[A-Za-z0-9_-]{1,1400}$' }), response: Type.Object({}, { additionalProperties: true }) },
  { additionalProperties: true },
);

export const sendCode = publicEndpoint({
  summary: 'Send a one-time code to a mailbox',
  body: Type.Object({ email, type: Type.Optional(Type.Literal('sign-in')), pass: Type.Optional(Type.String({ maxLength: 100 })) }, closed),
  success,
  errors: [],
  handle: async ({ signIn, publicUrl }, { request, body }) => {
    refuseOtherSites(request, publicUrl);
    return signIn.sendCode(request, body.email, body.pass);
  },
});

export const withCode = publicEndpoint({
  summary: 'Sign in with a one-time code',
  body: Type.Object({ email, otp: Type.String({ pattern: `^\\d{${CODE_DIGITS}}$` }) }, closed),
  success,
  errors: [],
  handle: async ({ signIn, publicUrl }, { request, body }) => {
    refuseOtherSites(request, publicUrl);
    return signIn.withCode(request, body);
  },
});

export const withProvider = publicEndpoint({
  summary: 'Begin to sign in with an identity provider',
  body: Type.Object(
    {
      provider: Type.String({ maxLength: 32 }),
      callbackURL: ownPath,
      errorCallbackURL: Type.Optional(ownPath),
      newUserCallbackURL: Type.Optional(ownPath),
      disableRedirect: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  success,
  errors: [],
  handle: async ({ signIn, publicUrl }, { request, body }) => {
    refuseOtherSites(request, publicUrl);
    refuseUnlessOffered(signIn.ways, body.provider);
    return signIn.handle(request, body);
  },
});

export const callback = publicEndpoint({
  summary: 'The callback of an identity provider',
  params: Type.Object({ id: Type.String() }),
  query: Type.Object({}, { additionalProperties: true }),
  success: { status: 302, description: 'A redirect to the page where the sign-in began.' },
  errors: [],
  handle: async ({ signIn }, { request, params }) => {
    refuseUnlessOffered(signIn.ways, params.id);
    return signIn.handle(request);
  },
});

export const signOut = publicEndpoint({
  summary: 'Sign out',
  success,
  errors: [],
  handle: async ({ signIn, publicUrl }, { request }) => {
    refuseOtherSites(request, publicUrl);
    return signIn.handle(request, {});
  },
});

const forwarding = { success, errors: [] };

export const passkeyChallenge = publicEndpoint({
  summary: 'Begin to sign in with a passkey',
  ...forwarding,
  handle: ({ signIn }, { request }) => signIn.handle(request),
});

export const withPasskey = publicEndpoint({
  summary: 'Sign in with a passkey',
  body: Type.Object({ response: credential }, closed),
  ...forwarding,
  handle: async ({ signIn, publicUrl }, { request, body }) => {
    refuseOtherSites(request, publicUrl);
    return signIn.withPasskey(request, body);
  },
});

export const newPasskeyChallenge = personEndpoint({
  summary: 'Begin to add a passkey',
  ...forwarding,
  handle: ({ signIn }, { request }) => signIn.handle(request),
});

export const addPasskey = personEndpoint({
  summary: 'Add a passkey',
  body: Type.Object({ response: credential, name: Type.Optional(passkeyName) }, closed),
  ...forwarding,
  handle: async ({ signIn, database }, { request, body, person }) => {
    const response = await signIn.handle(request, body);
    await notePasskeyProof(database, person, response);
    return response;
  },
});

export const listPasskeys = personEndpoint({
  summary: 'List your passkeys',
  ...forwarding,
  handle: ({ signIn }, { request }) => signIn.handle(request),
});

export const renamePasskey = personEndpoint({
  summary: 'Rename a passkey',
  body: Type.Object({ id: uuid, name: passkeyName }, closed),
  ...forwarding,
  handle: ({ signIn }, { request, body }) => signIn.handle(request, body),
});

export const removePasskey = personEndpoint({
  summary: 'Remove a passkey',
  body: Type.Object({ id: uuid }, closed),
  ...forwarding,
  handle: ({ signIn }, { request, body }) => signIn.handle(request, body),
});
