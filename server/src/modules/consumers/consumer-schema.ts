import { Type } from 'typebox';
import { CONSUMER_IDS_MAX, CONSUMER_NAME_MAX_CHARS, PLACE_MAX_CHARS } from '../../contract/limits.ts';
import { closed } from '../../contract/paging.ts';

export const nameParams = Type.Object({
  name: Type.String({
    maxLength: CONSUMER_NAME_MAX_CHARS,
    pattern: '^[a-z0-9][a-z0-9._-]*$',
    description: `Chosen by you: up to ${CONSUMER_NAME_MAX_CHARS} of a-z, 0-9, dot, _ and -.`,
  }),
});
export const bodyErrors = ['validation_error', 'invalid_json', 'json_too_large', 'unsupported_media_type'] as const;

export const idsField = Type.Array(Type.String({ maxLength: PLACE_MAX_CHARS }), {
  minItems: 1,
  maxItems: CONSUMER_IDS_MAX,
  description: 'msg_ ids.',
});

export const outcomeSchema = (count: string, description: string) =>
  Type.Object(
    {
      [count]: Type.Integer({ description }),
      unknown: Type.Array(Type.String(), { description: 'Ids of messages to which it was not done.' }),
    },
    closed,
  );
