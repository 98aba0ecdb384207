import type { EntryFollower, Follower } from './contract/followers.ts';
import { acknowledgementsFollower, expiriesFollower } from './modules/acknowledgements/follower.ts';
import { contactsFollower } from './modules/contacts/follower.ts';
import { documentsFollower } from './modules/document-facts/follower.ts';
import { filesFollower } from './modules/files/follower.ts';
import { followStatements } from './modules/following/follow-statements.ts';
import { noticesFollower } from './modules/mail/follower.ts';
import { commitStatements } from './modules/messages/commit-statements.ts';
import { searchFollower } from './modules/search/follower.ts';
import { signaturesFollower } from './modules/signatures/follower.ts';
import { threadsFollower } from './modules/threads/follower.ts';
import { webhooksFollower } from './modules/webhooks/follower.ts';

/** The followers of a message, in this order, in the round trip that commits it: what must be there if, and only if, the message is. */
export const FOLLOWERS: readonly Follower[] = [
  filesFollower,
  signaturesFollower,
  acknowledgementsFollower,
  expiriesFollower,
  webhooksFollower,
  noticesFollower,
];

/** The followers behind the commit, in this order: what may be written a moment later, by position in the ledger. */
export const ENTRY_FOLLOWERS: readonly EntryFollower[] = [threadsFollower, contactsFollower, searchFollower, documentsFollower];

export const COMMITS = commitStatements(FOLLOWERS);
export const FOLLOWING = followStatements(ENTRY_FOLLOWERS);
