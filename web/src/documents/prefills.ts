export { documentActions, documentLines, documentType } from '../../../packages/documents/src/index.ts';
