import { setImmediate } from 'node:timers/promises';
import type { Auth, Route } from './endpoint.ts';
import { documentSteps, type OpenApiDocument, type Operation } from './openapi.ts';

const CALLERS: Record<Auth, string> = {
  'public unlimited': 'Needs no key.',
  public: 'Needs no key.',
  key: 'For keys of any scope, and for members of the business.',
  'key rw': 'For keys with the scope `read_write`, and for members of the business.',
  person: 'For a person who has signed in.',
  member: 'For members of the business.',
  admin: 'For admins and owners of the business.',
  owner: 'For owners of the business.',
};

/** Components of one kind, shared by several operations. Key: the JSON text. */
class Shared {
  readonly #section: string;
  readonly #texts = new Map<unknown, string>();
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();
  readonly components: Record<string, unknown> = {};

  constructor(section: string, parts: readonly unknown[]) {
    this.#section = section;
    for (const part of parts) {
      const text = this.#textOf(part);
      this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    }
  }

  #textOf(part: unknown): string {
    const text = this.#texts.get(part) ?? JSON.stringify(part);
    this.#texts.set(part, text);
    return text;
  }

  refer<Part extends object>(name: string, part: Part): Part | { $ref: string } {
    const text = this.#textOf(part);
    if ((this.#counts.get(text) ?? 0) < 2) return part;
    const given = this.#names.get(text) ?? this.#add(name, part);
    this.#names.set(text, given);
    return { $ref: `#/components/${this.#section}/${given}` };
  }

  #add(name: string, part: object): string {
    const free = (n: number): string => {
      const candidate = n === 1 ? name : `${name}-${n}`;
      return candidate in this.components ? free(n + 1) : candidate;
    };
    const given = free(1);
    this.components[given] = part;
    return given;
  }
}

/** The text of the shared document. Writing it takes a tenth of a second in all, so other requests get their turn in between. */
export async function openApiText<Context>(routes: readonly Route<Context>[], version: string, serverUrl: string): Promise<string> {
  const steps = documentSteps(routes, version, serverUrl);
  for (;;) {
    await setImmediate();
    const { done, value } = steps.next();
    if (!done) continue;
    const shared = sharedDocument(value);
    await setImmediate();
    return JSON.stringify(shared);
  }
}

/** The document as programs get it: shared parameters and responses are components, and each operation says who may call it. */
export function sharedDocument(document: OpenApiDocument): object {
  const all = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const parameters = new Shared(
    'parameters',
    all.flatMap((operation) => operation.parameters),
  );
  const responses = new Shared(
    'responses',
    all.flatMap((operation) => Object.values(operation.responses)),
  );
  const smaller = (operation: Operation) => ({
    ...operation,
    description: [operation.description, CALLERS[operation['x-auth']]].filter(Boolean).join('\n\n'),
    parameters: operation.parameters.map((parameter) => parameters.refer(parameter.name, parameter)),
    responses: mapValues(operation.responses, (response, status) => responses.refer(`Status${status}`, response)),
  });
  const paths = mapValues(document.paths, (methods) => mapValues(methods, smaller));
  const components = { ...document.components, parameters: parameters.components, responses: responses.components };
  return { ...document, paths, components };
}

function mapValues<From, To>(record: Record<string, From>, change: (value: From, name: string) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}
