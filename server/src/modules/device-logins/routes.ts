import { Type } from 'typebox';
import { Refusal } from '../../contract/errors.ts';
import { formatId, parseId } from '../../contract/ids.ts';
import { DEVICE_LOGIN_LIFETIME_S, DEVICE_LOGIN_NAME_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { allowLogin, type DeviceLoginServices, fetchKey, INTERVAL_S, readLogin, refuseLogin, startLogin } from './device-logins.ts';

const { publicEndpoint, personEndpoint, memberEndpoint } = endpointsFor<DeviceLoginServices>();

const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;
const codeParams = Type.Object({ code: Type.String({ description: 'The user code, with or without its hyphen.' }) });
const scope = Type.Enum(['read', 'read_write']);

export const start = publicEndpoint({
  summary: 'Begin the login of a program',
  description:
    'For a program without a browser, such as the command line. Show the user code, open `verification_url`, where the person types it, and ask POST /v1/device-logins/key every `interval_s` seconds.',
  body: Type.Object(
    { name: Type.String({ maxLength: DEVICE_LOGIN_NAME_MAX_CHARS, description: 'What the person sees: the program and its machine.' }) },
    closed,
  ),
  success: {
    status: 201,
    description: 'The codes of the login.',
    schema: Type.Object(
      {
        device_code: Type.String({ description: 'A secret of the program.' }),
        user_code: Type.String({
          description:
            'What the person types on the page. The address of the page does not have it, so that nobody is made to allow a login by a link.',
        }),
        verification_url: Type.String({ description: 'The page where a person decides.' }),
        expires_in_s: Type.Integer(),
        interval_s: Type.Integer(),
      },
      closed,
    ),
  },
  errors: [...bodyErrors],
  handle: async (context, { body, request }) => {
    const { deviceCode, userCode } = await startLogin(context, body.name, request.ip);
    return {
      body: {
        device_code: deviceCode,
        user_code: userCode,
        verification_url: `${context.publicUrl}/device`,
        expires_in_s: DEVICE_LOGIN_LIFETIME_S,
        interval_s: INTERVAL_S,
      },
    };
  },
});

export const key = publicEndpoint({
  summary: 'Get the key of a program’s login',
  description: 'Status 202 while nobody has decided. 404 when the login was refused, has expired, or has given its key.',
  body: Type.Object({ device_code: Type.String({ maxLength: 100 }) }, closed),
  success: {
    status: 200,
    description: 'The key, which is shown this once.',
    schema: Type.Object(
      { key: Type.String(), key_id: Type.String(), scope, handle: Type.String(), display_name: Type.String(), agent_id: Type.String() },
      closed,
    ),
  },
  also: [{ status: 202, description: 'Nobody has decided yet.' }],
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { body }) => {
    const fetched = await fetchKey(context, body.device_code);
    if (!fetched) return { status: 202 };
    const { key, business, agentId } = fetched;
    return {
      body: {
        ...{ key: key.secret, key_id: formatId('key', key.id), scope: key.scope },
        ...{ handle: business.handle, display_name: business.displayName, agent_id: formatId('agt', agentId) },
      },
    };
  },
});

export const getOne = personEndpoint({
  summary: 'Get the login of a program that waits for you',
  params: codeParams,
  success: {
    status: 200,
    description: 'What asks for a key. The name is what the program says of itself.',
    schema: Type.Object(
      { name: Type.String(), created_at: Type.String({ format: 'date-time' }), expires_at: Type.String({ format: 'date-time' }) },
      closed,
    ),
  },
  errors: ['not_found'],
  handle: async (context, { params }) => {
    const { name, createdAt, expiresAt } = await readLogin(context, params.code);
    return { body: { name, created_at: createdAt.toISOString(), expires_at: expiresAt.toISOString() } };
  },
});

export const allow = memberEndpoint({
  summary: 'Give a program a key of an agent',
  params: codeParams,
  body: Type.Object({ agent_id: Type.String({ description: 'agt_ id' }), scope }, closed),
  success: { status: 204, description: 'The program gets the key when it asks next.' },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => {
    const agentId = parseId('agt', body.agent_id);
    if (agentId === undefined) throw new Refusal('not_found', 'The agent was not found.');
    await allowLogin(context, caller.business, caller.by.person, params.code, agentId, body.scope);
    return {};
  },
});

export const refuse = personEndpoint({
  summary: 'Refuse the login of a program',
  params: codeParams,
  success: { status: 204, description: 'Refused.' },
  errors: ['not_found', 'unsupported_media_type', 'json_too_large'],
  handle: async (context, { params }) => {
    await refuseLogin(context, params.code);
    return {};
  },
});
