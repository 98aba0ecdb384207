export { type ActionInfo, acknowledgementOf, listActions } from '../../../packages/documents/src/index.ts';
