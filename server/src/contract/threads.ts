import { Type } from 'typebox';
import { PartySchema } from './envelope.ts';
import { closed } from './paging.ts';

export const ColleagueSchema = Type.Object(
  { kind: Type.Enum(['person', 'agent']), id: Type.String({ description: 'usr_ or agt_ id.' }), name: Type.String() },
  { $id: 'Colleague', ...closed, description: 'A member or an agent of your business.' },
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
  },
  {
    $id: 'UpdatedThread',
    ...closed,
    description: 'A thread with what your business has decided about it, as it is when the attempt is made.',
  },
);
