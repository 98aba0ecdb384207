import { api } from '../../src/app.ts';

/** Stands for any parameter of a path: looks like nothing that exists. */
const PLACEHOLDER = 'placeholder';

/** The rows of the route table, with parameters in their paths so that they can be requested. */
export const rows = api.map(([method, path, auth, endpoint]) => ({
  method,
  path,
  auth,
  endpoint,
  url: path.replace(/:\w+/g, PLACEHOLDER),
}));

/** All but signed URLs, in which every parameter is covered by the signature. */
export const unsignedRows = rows.filter(({ auth }) => auth !== 'public unlimited');

export const keyRows = rows.filter(({ auth }) => auth === 'key' || auth === 'key rw');

/** Every query parameter that some list takes. */
export const queryNames = [
  ...['limit', 'cursor', 'since', 'until', 'from', 'to', 'type', 'validation', 'thread'],
  ...['q', 'saved', 'archived', 'handle', 'domain', 'email', 'period', 'days'],
];
