import { Type } from 'typebox';
import { PartySchema } from '../../contract/envelope.ts';
import { formatId } from '../../contract/ids.ts';
import { ACTIVITY_ITEMS_MAX, CONTACT_LABEL_MAX_CHARS, CONTACT_NOTES_MAX_CHARS, CONTACT_QUERY_MAX_CHARS } from '../../contract/limits.ts';
import { closed, endsEarly, pageSchema, pagingFields } from '../../contract/paging.ts';
import { endpointsFor } from '../../http/endpoint.ts';
import { jsonPage } from '../../http/json-page.ts';
import {
  CONTACT_ORDERS,
  type Contact,
  type ContactServices,
  changeContact,
  contactByParty,
  getContact,
  listContacts,
  saveContact,
} from './contacts.ts';

const { endpoint } = endpointsFor<ContactServices>();

const time = (description: string) => Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const ContactSchema = Type.Object(
  {
    id: Type.Union([Type.String(), Type.Null()], { description: 'ctc_ id; null if the contact is not saved.' }),
    saved: Type.Boolean({ description: 'False for a party with which you have only exchanged messages.' }),
    archived: Type.Boolean(),
    party: PartySchema,
    label: Type.String({ description: 'Your own label; empty by default.' }),
    notes: Type.String({ description: 'Your own notes; empty by default.' }),
    can_initiate: Type.Boolean({ description: 'False for parties without a handle, which can only be replied to.' }),
    blocked: Type.Boolean({ description: 'Whether you have blocked this party as a whole.' }),
    activity: Type.Object(
      {
        first_seen_at: time('When the first message was exchanged; null when there was none.'),
        last_seen_at: time('When the latest was.'),
        last_direction: Type.Union([Type.Enum(['in', 'out']), Type.Null()], {
          description: 'The direction of the latest message, from your side.',
        }),
        messages_in: Type.Integer({ description: 'The number of messages that you received from it.' }),
        messages_out: Type.Integer({ description: 'The number of messages that you sent to it.' }),
        types: Type.Array(Type.String(), { description: `The types of those messages, ${ACTIVITY_ITEMS_MAX} at most.` }),
        actors: Type.Array(
          Type.Object({ kind: Type.String(), name: Type.String(), email: Type.Union([Type.String(), Type.Null()]) }, closed),
          { description: `The agents, people and mailboxes that have written to you for it, ${ACTIVITY_ITEMS_MAX} at most.` },
        ),
      },
      closed,
    ),
  },
  { $id: 'Contact', ...closed, description: 'A party in your contacts.' },
);

const idParams = Type.Object({ id: Type.String({ description: 'ctc_ id' }) });
const partyFields = {
  handle: Type.Optional(Type.String({ maxLength: 64, description: 'Of a business.' })),
  domain: Type.Optional(
    Type.String({ maxLength: 300, description: 'Of an organisation. One that a business has verified stands for that business.' }),
  ),
  email: Type.Optional(Type.String({ maxLength: 400, description: 'Of a consumer mailbox.' })),
};
const ownFields = {
  label: Type.Optional(Type.String({ maxLength: CONTACT_LABEL_MAX_CHARS })),
  notes: Type.Optional(Type.String({ maxLength: CONTACT_NOTES_MAX_CHARS })),
};
const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

export const list = endpoint({
  summary: 'List your contacts',
  description: 'Saved contacts and every party with which you have exchanged messages.',
  query: Type.Object(
    {
      ...pagingFields,
      q: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: CONTACT_QUERY_MAX_CHARS,
          description: 'Part of the handle, domain, address, display name or label, in upper or lower case. No character is a wildcard.',
        }),
      ),
      sort: Type.Optional(
        Type.Enum([...CONTACT_ORDERS], {
          description:
            'added (the default): the newest contact first. activity: the one first with the latest message, or that was saved last. name: by label, or else display name, from A to Z, without regard to case and accents; a new display name counts after some seconds.',
        }),
      ),
      saved: Type.Optional(Type.Boolean({ description: 'true: only saved contacts. false: only others.' })),
      archived: Type.Optional(Type.Boolean({ description: 'true: only archived contacts, which are omitted otherwise.' })),
      type: Type.Optional(
        Type.String({ maxLength: 1_000, description: 'Only parties with which you have exchanged messages of this type.' }),
      ),
    },
    closed,
  ),
  success: { status: 200, description: endsEarly('A page of contacts.'), schema: pageSchema(ContactSchema) },
  errors: ['validation_error'],
  handle: async (context, call) => ({
    body: await jsonPage(
      await listContacts(context, call.caller.business, call.query, call.spend),
      (contact) => contactView(contact),
      call,
    ),
  }),
});

export const save = endpoint({
  summary: 'Save a party',
  description:
    'Give exactly one of handle, domain and email. A domain that a business has verified stands for that business: the contact is that of its handle. An organisation’s mailbox and a domain that gives mailboxes to anybody are refused, because neither is a party. Saving again changes the given fields and unarchives the contact.',
  body: Type.Object({ ...partyFields, ...ownFields }, closed),
  exactlyOneOf: ['handle', 'domain', 'email'],
  success: { status: 201, description: 'Saved.', schema: ContactSchema },
  also: [{ status: 200, description: 'The contact was saved before.', schema: ContactSchema }],
  errors: [...bodyErrors, 'not_found', 'conflict'],
  handle: async (context, { caller, body }) => {
    const { contact, isNew } = await saveContact(context, caller.business, body);
    return { status: isNew ? 201 : 200, body: contactView(contact) };
  },
});

export const byParty = endpoint({
  summary: 'Get a contact by its party',
  description: 'Give exactly one of handle, domain and email.',
  query: Type.Object(partyFields, closed),
  success: { status: 200, description: 'The contact, saved or not.', schema: ContactSchema },
  errors: ['not_found', 'validation_error'],
  handle: async (context, { caller, query }) => ({ body: contactView(await contactByParty(context, caller.business, query)) }),
});

export const getOne = endpoint({
  summary: 'Get a saved contact',
  params: idParams,
  success: { status: 200, description: 'The contact.', schema: ContactSchema },
  errors: ['not_found'],
  handle: async (context, { caller, params }) => ({ body: contactView(await getContact(context, caller.business, params.id)) }),
});

export const change = endpoint({
  summary: 'Change a contact’s label or notes, or archive it',
  params: idParams,
  body: Type.Object({ ...ownFields, archived: Type.Optional(Type.Boolean()) }, { ...closed, minProperties: 1 }),
  success: { status: 200, description: 'The changed contact.', schema: ContactSchema },
  errors: [...bodyErrors, 'not_found'],
  handle: async (context, { caller, params, body }) => ({
    body: contactView(await changeContact(context, caller.business, params.id, body)),
  }),
});

function contactView({ id, party, label, notes, archived, blocked, activity }: Contact) {
  const { first_seen_at, last_seen_at, last_direction, messagesIn, messagesOut, types, actors } = activity;
  return {
    id: id === null ? null : formatId('ctc', id),
    saved: id !== null,
    archived,
    party,
    label,
    notes,
    can_initiate: party.kind === 'handle',
    blocked,
    activity: {
      first_seen_at: first_seen_at?.toISOString() ?? null,
      last_seen_at: last_seen_at?.toISOString() ?? null,
      last_direction,
      messages_in: messagesIn,
      messages_out: messagesOut,
      types,
      actors,
    },
  };
}
