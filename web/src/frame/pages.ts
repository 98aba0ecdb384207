import type { LinkProps } from '@tanstack/react-router';
import {
  Ban,
  Bot,
  Braces,
  ChartNoAxesColumn,
  CircleUser,
  ContactRound,
  Globe,
  ListEnd,
  type LucideIcon,
  Search,
  Settings,
  SquarePen,
  Users,
  Webhook,
} from 'lucide-react';

export type Entry = readonly [to: NonNullable<LinkProps['to']>, label: string, icon: LucideIcon];

export const SETUP: Entry[] = [
  ['/contacts', 'Contacts', ContactRound],
  ['/agents', 'Agents and keys', Bot],
  ['/webhooks', 'Webhooks', Webhook],
  ['/consumers', 'Consumers', ListEnd],
  ['/schema', 'Inbox schema', Braces],
  ['/members', 'Members', Users],
  ['/domains', 'Domains', Globe],
  ['/blocks', 'Blocks', Ban],
  ['/usage', 'Usage', ChartNoAxesColumn],
  ['/settings', 'Settings', Settings],
];

export const PAGES: Entry[] = [
  ['/compose', 'New message', SquarePen],
  ['/search', 'Search', Search],
  ...SETUP,
  ['/account', 'Account', CircleUser],
];
