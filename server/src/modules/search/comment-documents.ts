/** In the transaction that adds the comment, so that it is found at once. */
export { writeComment as addCommentDocument } from './index-store.ts';
