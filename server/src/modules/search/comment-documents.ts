/** A comment's document is written in the comment's transaction, so that searches find the comment at once. */
export { writeComment as addCommentDocument } from './index-store.ts';
