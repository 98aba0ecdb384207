import type { OpenApiDocument, Operation } from '../../http/openapi.ts';
import { REFERENCE } from './library.ts';

export interface Endpoint {
  address: string;
  method: string;
  path: string;
  title: string;
  operation: Operation;
}

export interface Area {
  name: string;
  endpoints: Endpoint[];
}

/** The areas of the API in reading order, with their paths. The first match counts. */
const AREAS: [name: string, paths: RegExp][] = [
  ['Documents', /^\/v1\/(document-types|business\/document-types|public\/\{handle\}\/document-types)\b/],
  ['Schemas', /^\/v1\/(inbox\/schema|schema-check|public\/\{handle\}\/schema)/],
  ['Messages', /^\/v1\/(messages|inbox|outbox|receipts|search|export|events)\b/],
  ['Threads', /^\/v1\/(threads|views|notifications)\b/],
  ['Files', /^(\/v1\/(uploads|files)|\/objects)\b/],
  ['Webhooks', /^\/v1\/webhooks\b/],
  ['Consumers', /^\/v1\/consumers\b/],
  ['Contacts and blocks', /^\/v1\/(contacts|blocks|handles|public)\b/],
  ['Business', /^\/v1\/(me|usage|business|businesses|members|invitations|domains)\b/],
  ['Agents and keys', /^\/v1\/(agents|keys|device-logins)\b/],
  ['Account', /^\/v1\/(account|sign-in)\b/],
  ['Drops', /^\/v1\/drops\b/],
];
const ORDER = ['Messages', 'Threads', 'Files', 'Webhooks', 'Consumers', 'Documents', 'Schemas'];
const REST = 'More';

export function areasOf({ paths }: OpenApiDocument): Area[] {
  const endpoints = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Endpoint => {
      const address = `${REFERENCE}/${operation.operationId}`;
      return { address, method: method.toUpperCase(), path, title: operation.summary, operation };
    }),
  );
  const names = [...new Set([...ORDER, ...AREAS.map(([name]) => name), REST])];
  const byArea = Map.groupBy(endpoints, ({ path }) => AREAS.find(([, paths]) => paths.test(path))?.[0] ?? REST);
  return names.flatMap((name) => {
    const members = byArea.get(name);
    return members ? [{ name, endpoints: members }] : [];
  });
}
