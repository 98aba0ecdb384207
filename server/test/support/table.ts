import { api } from '../../src/app.ts';

/** Stands for any parameter of a path, and equals nothing that exists. */
const PLACEHOLDER = 'placeholder';

/** The rows of the route table, with placeholders in their paths so that they can be requested. */
export const rows = api.map(([method, path, auth, endpoint]) => ({
  method,
  path,
  auth,
  endpoint,
  url: path.replace(/:\w+/g, PLACEHOLDER),
}));

/** All rows except signed URLs, whose signature covers every parameter. */
export const unsignedRows = rows.filter(({ auth }) => auth !== 'public unlimited');

export const keyRows = rows.filter(({ auth }) => auth === 'key' || auth === 'key rw');

export const queryNames = [
  ...['limit', 'cursor', 'since', 'until', 'from', 'to', 'type', 'validation', 'thread'],
  ...['q', 'saved', 'archived', 'handle', 'domain', 'email', 'period', 'days'],
];
