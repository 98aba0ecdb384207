import { Type } from 'typebox';

export const headFields = {
  type: Type.String({ description: 'The `type` of the message that carries the document.' }),
  title: Type.String(),
  description: Type.String(),
  version: Type.Integer({
    description:
      'In the catalogue, counts up when a property changes its meaning or goes. Of your own types, with each change of the schema.',
  }),
};

export const documentTypeFields = {
  ...headFields,
  schema: Type.Object(
    {},
    { additionalProperties: true, description: 'A JSON Schema, in the catalogue with a title and a meaning for each property.' },
  ),
  samples: Type.Array(Type.Object({}, { additionalProperties: true }), { description: 'Documents that meet the schema.' }),
};
