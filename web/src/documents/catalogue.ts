export { documentType } from '../../../packages/documents/src/index.ts';
