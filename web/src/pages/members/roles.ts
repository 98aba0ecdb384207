import type { Role } from '../../api/role.ts';

export const ROLES: Role[] = ['member', 'admin', 'owner'];

export const PERMISSIONS: Record<Role, string> = {
  member: 'Can read and send messages, and set up webhooks and the inbox schema.',
  admin: 'Can also invite and remove members, create agents and keys, add domains and change settings.',
  owner: 'Can also add and remove owners.',
};

export const canAssign = (mine: Role | undefined, role: Role): boolean => mine === 'owner' || (mine === 'admin' && role !== 'owner');
