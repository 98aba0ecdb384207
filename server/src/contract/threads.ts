import { Type } from 'typebox';
import { PartySchema } from './envelope.ts';
import { closed } from './paging.ts';

export const ColleagueSchema = Type.Object(
  { kind: Type.Enum(['person', 'agent']), id: Type.String({ description: 'usr_ or agt_ id.' }), name: Type.String() },
  { $id: 'Colleague', ...closed, description: 'A member or an agent of your business.' },
);

/** Those of @waybill/documents, in the same order: the contract knows no other package. */
export const THREAD_DOCUMENT_STATES = [
  'requested',
  'quoted',
  'ordered',
  'changed',
  'confirmed',
  'despatched',
  'received',
  'invoiced',
  'disputed',
  'credited',
  'paid',
  'rejected',
] as const;

const nullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

export const ThreadDocumentSchema = Type.Object(
  {
    state: Type.Union([Type.Enum([...THREAD_DOCUMENT_STATES]), Type.Null()], {
      description:
        'Follows from the messages of the thread and their acknowledgements, and is the same for both parties. Null: nothing that changes it was sent.',
    }),
    type: nullableText('Of the message with this number.'),
    number: nullableText('Of the newest document that has one.'),
    total: nullableText('A decimal number, of the newest document that has a total.'),
    currency: nullableText('The currency of the total.'),
    due_date: nullableText('YYYY-MM-DD, of the newest document that has one.'),
  },
  {
    $id: 'ThreadDocument',
    ...closed,
    description:
      'What the documents of a thread say, by the layouts of their types; of JSON of other types, by names such as `invoice_number`.',
  },
);

export const UpdatedThreadSchema = Type.Object(
  {
    id: Type.String({ description: 'thr_ id' }),
    subject: Type.Union([Type.String(), Type.Null()]),
    with: PartySchema,
    message_count: Type.Integer(),
    comment_count: Type.Integer(),
    status: Type.Enum(['open', 'done']),
    assignee: Type.Union([ColleagueSchema, Type.Null()]),
    labels: Type.Array(Type.String()),
    document: Type.Union([ThreadDocumentSchema, Type.Null()]),
  },
  {
    $id: 'UpdatedThread',
    ...closed,
    description: 'A thread with what your business has decided about it, as it is when the attempt is made.',
  },
);
