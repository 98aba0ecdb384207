/** A JSON Schema, or a part of one. */
export interface Schema {
  title?: string;
  description?: string;
  $ref?: string;
  $defs?: Readonly<Record<string, Schema>>;
  type?: string | readonly string[];
  format?: string;
  enum?: readonly string[];
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  required?: readonly string[];
  [keyword: string]: unknown;
}

export type Properties = Readonly<Record<string, Schema>>;

/** Where the meaning of a property is defined: business terms of EN 16931, and the element of UBL. */
export interface Source {
  en?: string;
  ubl?: string;
}
