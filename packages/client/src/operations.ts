import type { JsonText } from './json-text.ts';
import type { paths } from './schema.ts';

/** Method and path, such as `GET /v1/inbox`. */
export type Operation = { [Path in keyof paths]: `${Uppercase<keyof paths[Path] & string>} ${Path}` }[keyof paths];

type Description<O extends Operation> = O extends `${infer Method} ${infer Path extends keyof paths}`
  ? paths[Path][Lowercase<Method> & keyof paths[Path]]
  : never;
/** A parameter that is undefined is left out of the request. */
type OrLeftOut<P> = { [Name in keyof P]: object extends Pick<P, Name> ? P[Name] | undefined : P[Name] };
type Places<P> = { [Place in keyof P]: OrLeftOut<P[Place]> };
type Parameters<D> = D extends { parameters: infer P } ? Places<Pick<P, keyof P & ('path' | 'query')>> : object;
/** A body with a field of any JSON may be given as text. */
type Written<B> = keyof B & ('json' | 'schema') extends never ? never : JsonText;
type Body<D> = D extends { requestBody: { content: { 'application/json': infer B } } } ? { body: B | Written<B> } : object;
type Success<D> = D extends { responses: infer R } ? R[keyof R] : never;

/** The input of a request: the parameters of its path and its query, and its body. */
export type InputOf<O extends Operation> = Parameters<Description<O>> & Body<Description<O>>;
/** The body of the response, or undefined where there is none. */
export type ResponseOf<O extends Operation> =
  Success<Description<O>> extends { content: infer C } ? ([C] extends [never] ? undefined : C[keyof C]) : never;
