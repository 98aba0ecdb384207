// biome-ignore lint/suspicious/noExplicitAny: a document of many shapes
type Json = any;

/** Replaces the references to shared parameters and responses. Schemas and headers stay references. */
export function resolved(document: Json): Json {
  return JSON.parse(JSON.stringify(document), (_, value) => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/([\w.-]+)$/.exec(value?.$ref ?? '') ?? [];
    return kind === undefined || name === undefined ? value : document.components[kind][name];
  });
}
