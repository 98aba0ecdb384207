/** The pages share the types of the API with the client for programs. */
export type * from '../../../packages/client/src/schema.ts';
