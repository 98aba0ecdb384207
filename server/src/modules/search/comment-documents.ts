/** Follows a comment in its transaction, so that it is found at once. */
export { writeComment as addCommentDocument } from './index-store.ts';
