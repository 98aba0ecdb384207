import { Type } from 'typebox';
import { type Cursors, pageOf } from '../../contract/cursors.ts';
import { formatId } from '../../contract/ids.ts';
import { PAGE_DEFAULT_ITEMS, PERSON_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { ROLES } from '../../contract/members.ts';
import { closed, pageSchema, pagingFields } from '../../contract/paging.ts';
import { MAIL_FREQUENCIES, type Person } from '../../contract/people.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import type { Database } from '../../platform/postgres/postgres.ts';
import { KEPT_MAILS_PATH, keepsMails } from '../mail/kept-mail-access.ts';
import { businessesOf } from '../members/members.ts';
import { type Account, changeAccount, endOtherSessions, endSession, getAccount, listSessions, type Session } from './accounts.ts';
import type { SignIn } from './sign-in.ts';

const { personEndpoint, publicEndpoint } = endpointsFor<{
  database: Database;
  cursors: Cursors;
  signIn: SignIn;
  config: { smtpUrl: string | undefined };
}>();

const time = Type.String({ format: 'date-time' });
const provider = Type.Enum(['email', 'google', 'microsoft', 'oidc'], { description: 'The way in which you signed in.' });

const notificationMail = Type.Enum([...MAIL_FREQUENCIES], {
  description:
    'How often you get a mail about mentions and assignments: at once (after half a minute), on the hour, at 07:00 UTC, or never. The mails have no content of messages or comments.',
});

const AccountSchema = Type.Object(
  {
    id: Type.String({ description: 'usr_ id' }),
    email: Type.Union([Type.String(), Type.Null()], {
      description: 'The mailbox that you have proved to hold; null if your provider is not the authority on it.',
    }),
    name: Type.String(),
    provider,
    proves: Type.Enum(['mailbox', 'domain', 'nothing'], {
      description: 'What signing in proved about that mailbox: that mails reach you, that its domain vouches for you, or nothing.',
    }),
    created_at: time,
    notification_mail: notificationMail,
    businesses: Type.Array(Type.Object({ handle: Type.String(), display_name: Type.String(), role: Type.Enum([...ROLES]) }, closed), {
      description: 'The businesses that you are a member of.',
    }),
  },
  { $id: 'Account', ...closed },
);

const SessionSchema = Type.Object(
  {
    id: Type.String({ description: 'ses_ id' }),
    provider,
    passkey: Type.Union([Type.String(), Type.Null()], {
      description: 'The name of the passkey with which it was opened, as it was then; null without one.',
    }),
    address: Type.String({ description: 'The IP address from which it was opened.' }),
    user_agent: Type.String({ description: 'The browser with which it was opened.' }),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
    created_at: time,
    last_seen_at: Type.String({ format: 'date-time', description: 'Noted every ten minutes at most.' }),
    expires_at: time,
  },
  { $id: 'Session', ...closed },
);

const SignInSchema = Type.Object(
  {
    email: Type.Boolean({ description: 'With a one-time code.' }),
    google: Type.Boolean(),
    microsoft: Type.Boolean(),
    oidc: Type.Union([Type.Object({ name: Type.String() }, closed), Type.Null()], {
      description: 'Another provider and its name.',
    }),
    passkey: Type.Boolean(),
    mails_at: Type.Union([Type.String(), Type.Null()], {
      description:
        'The path of the mails that a service without a mail server keeps; open it with the link that the service prints at its start. Null otherwise.',
    }),
  },
  { $id: 'SignIn', ...closed },
);

export const ways = publicEndpoint({
  summary: 'List the ways to sign in',
  success: { status: 200, description: 'The ways to sign in.', schema: SignInSchema },
  errors: [],
  handle: async ({ config, signIn }) => ({ body: { ...signIn.ways, mails_at: keepsMails(config) ? KEPT_MAILS_PATH : null } }),
});

export const show = personEndpoint({
  summary: 'Get your account',
  success: { status: 200, description: 'Your account.', schema: AccountSchema },
  errors: [],
  handle: async ({ database }, { person }) => ({ body: await accountView(database, person, await getAccount(database, person)) }),
});

export const change = personEndpoint({
  summary: 'Change your name, or how often you get mails',
  body: Type.Object(
    {
      name: Type.Optional(Type.String({ minLength: 1, maxLength: PERSON_NAME_MAX_CHARS })),
      notification_mail: Type.Optional(notificationMail),
    },
    { ...closed, minProperties: 1 },
  ),
  success: { status: 200, description: 'Your changed account.', schema: AccountSchema },
  errors: ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'],
  handle: async ({ database }, { person, body }) => ({
    body: await accountView(database, person, await changeAccount(database, person, body)),
  }),
});

export const sessions = personEndpoint({
  summary: 'List your sessions',
  query: Type.Object(pagingFields, closed),
  success: { status: 200, description: 'A page of sessions, in the order in which they were opened.', schema: pageSchema(SessionSchema) },
  errors: ['validation_error'],
  handle: async ({ database, cursors }, { person, query: { limit = PAGE_DEFAULT_ITEMS, cursor } }) => {
    const scope = ['sessions', person.id];
    const rows = await listSessions(database, person.id, cursors.open(scope, cursor) ?? null, limit + 1);
    const { items, nextCursor } = pageOf(rows, limit, ({ id }) => cursors.issue(scope, id));
    return { body: { data: items.map((session) => sessionView(person, session)), next_cursor: nextCursor } };
  },
});

export const endOne = personEndpoint({
  summary: 'End a session',
  params: Type.Object({ id: Type.String({ description: 'ses_ id' }) }),
  success: { status: 204, description: 'The session has ended.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async ({ database }, { person, params }) => {
    await endSession(database, person, params.id);
    return {};
  },
});

export const endOthers = personEndpoint({
  summary: 'End all other sessions',
  success: { status: 204, description: 'All sessions except this one have ended.' },
  errors: ['unsupported_media_type', 'json_too_large'],
  handle: async ({ database }, { person }) => {
    await endOtherSessions(database, person);
    return {};
  },
});

async function accountView(database: Database, { id, email, provider, proves }: Person, { name, createdAt, notificationMail }: Account) {
  const businesses = await businessesOf(database, id);
  const account = { id: formatId('usr', id), email, name, provider, proves, created_at: createdAt.toISOString() };
  return { ...account, notification_mail: notificationMail, businesses };
}

function sessionView({ sessionId }: Person, { id, provider, passkey, address, userAgent, createdAt, seenAt, expiresAt }: Session) {
  return {
    id: formatId('ses', id),
    provider,
    passkey,
    address,
    user_agent: userAgent,
    current: id === sessionId,
    created_at: createdAt.toISOString(),
    last_seen_at: seenAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
