/** Writes the document in the comment's transaction, so that the comment is found at once. */
export { writeComment as addCommentDocument } from './index-store.ts';
