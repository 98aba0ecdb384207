import { Type } from 'typebox';
import { closed } from '../../contract/paging.ts';

export const QueuedSchema = Type.Object(
  {
    queued: Type.Literal(true),
    job_id: Type.String({ description: 'job_ id; with dlv_ in place of job_ it is the id of the attempt in the log.' }),
  },
  closed,
);
