import type { Handler } from '@waybill/mcp';

let handler: Promise<Handler> | undefined;

/** Loads the libraries of the protocol, once. They take the thread for up to 0.3 s, so the start does it while it waits for the database. */
export function loadHandler(version: string): Promise<Handler> {
  handler ??= import('@waybill/mcp').then(({ createHandler }) => createHandler(version));
  return handler;
}
