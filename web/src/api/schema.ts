/** The types of the API, which the pages share with the client for programs. */
export type * from '../../../packages/client/src/schema.ts';
