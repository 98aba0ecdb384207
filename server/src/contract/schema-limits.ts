const MB = 1_048_576;

// # Schemas and document types

/** Schemas that a business can set or check at the same time, in each process. */
export const SCHEMA_CHECKS_AT_ONCE_MAX = 8;
/** Schemas that a signed-in person can set or check at the same time across all businesses, in each process. */
export const SCHEMA_CHECKS_PER_PERSON_AT_ONCE_MAX = 16;
/** Bytes of a document that `POST /v1/document-types/{type}/check` takes. */
export const DOCUMENT_CHECK_MAX_BYTES = 64 * 1024;
/** Types of messages for which a business can set schemas of their own. */
export const TYPE_SCHEMAS_PER_BUSINESS_MAX = 50;
/** Bytes of all schemas by type of one business. */
export const TYPE_SCHEMAS_MAX_BYTES = 4 * MB;
/** Document types of one business. */
export const DOCUMENT_TYPES_PER_BUSINESS_MAX = 50;
/** Bytes of all document types of one business, their schemas and layouts. */
export const DOCUMENT_TYPES_MAX_BYTES = 4 * MB;
/** Characters of the title of a document type. */
export const DOCUMENT_TYPE_TITLE_MAX_CHARS = 100;
/** Characters of the description of a document type. */
export const DOCUMENT_TYPE_DESCRIPTION_MAX_CHARS = 500;
/** Characters of a JSON Pointer in a layout. */
export const LAYOUT_POINTER_MAX_CHARS = 300;
/** Entries of a list in a layout, such as facts, columns or totals. */
export const LAYOUT_LIST_MAX = 50;
/** Bytes of a layout. */
export const LAYOUT_MAX_BYTES = 32 * 1024;
/** Values of `enum` or `const` that an error names to the owner of the schema. */
export const ALLOWED_VALUES_MAX = 20;
/** Characters of these values together, as JSON. */
export const ALLOWED_VALUES_MAX_CHARS = 600;
