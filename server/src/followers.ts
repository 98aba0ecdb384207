import type { Follower } from './contract/followers.ts';
import { contactsFollower } from './modules/contacts/follower.ts';
import { filesFollower } from './modules/files/follower.ts';
import { noticesFollower } from './modules/mail/follower.ts';
import { commitStatements } from './modules/messages/commit-statements.ts';
import { signaturesFollower } from './modules/signatures/follower.ts';
import { webhooksFollower } from './modules/webhooks/follower.ts';

/** The followers of a message, in this order, in the round trip that commits it. */
export const FOLLOWERS: readonly Follower[] = [filesFollower, signaturesFollower, contactsFollower, webhooksFollower, noticesFollower];

export const COMMITS = commitStatements(FOLLOWERS);
