import type { Follower } from '../../contract/followers.ts';

export const contactsFollower: Follower = { sqlFunction: 'note_contacts', follows: 'The contacts of both parties are brought up to date.' };
