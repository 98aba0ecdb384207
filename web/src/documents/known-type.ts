import type { DocumentType, Layout, Schema } from '../../../packages/documents/src/index.ts';

/** What views and forms need of a type, of the catalogue or of a business's own. */
export interface KnownType {
  type: string;
  title: string;
  schema: Schema;
  /** None, or one that names nothing of the schema: the titles of the schema make one. */
  layout?: Layout | undefined;
  /** Only types of the catalogue have rules. */
  rules: DocumentType['rules'];
}
