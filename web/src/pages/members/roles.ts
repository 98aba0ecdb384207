import type { Role } from '../../api/role.ts';

export const ROLES: Role[] = ['member', 'admin', 'owner'];

export const MAY: Record<Role, string> = {
  member: 'Reads, sends, and sets up webhooks and the schema.',
  admin: 'Also invites and removes members, makes agents and keys, adds domains, and changes the settings.',
  owner: 'Also makes and unmakes owners.',
};

/** Only owners make or unmake owners. */
export const mayGive = (mine: Role | undefined, role: Role): boolean => mine === 'owner' || (mine === 'admin' && role !== 'owner');
