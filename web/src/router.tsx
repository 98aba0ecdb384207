import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type ParsedLocation,
  redirect,
} from '@tanstack/react-router';
import { actFor, activeBusiness } from './api/business.ts';
import { WaybillError } from './api/client.ts';
import { retried } from './api/lazy.ts';
import { reading } from './api/queries.ts';
import type { Account } from './api/schema.ts';
import { PageFailed, PageNotFound } from './frame/page-failed.tsx';
import { parseListSearch } from './parts/threads/views.ts';

/** All pages. Whatever is not lazy is part of every first load. */

interface RouterContext {
  queries: QueryClient;
}
interface Guarded {
  context: RouterContext;
  location: ParsedLocation;
}

/** Somebody was signed in on this page, so a 401 is the end of a session. */
let wasSignedIn = false;

async function requireAccount({ context: { queries }, location }: Guarded): Promise<Account> {
  try {
    const account = await queries.ensureQueryData(reading('GET /v1/account', {}));
    wasSignedIn = true;
    return account;
  } catch (error) {
    if (!(error instanceof WaybillError) || error.status !== 401) throw error;
    const ended = wasSignedIn || undefined;
    wasSignedIn = false;
    throw redirect({ to: '/sign-in', search: { next: location.href, ended } });
  }
}

async function requireBusiness(guarded: Guarded): Promise<void> {
  const { businesses } = await requireAccount(guarded);
  const active = businesses.find(({ handle }) => handle === activeBusiness()) ?? businesses[0];
  if (!active) throw redirect({ to: '/claim', search: guarded.location.pathname === '/inbox' ? {} : { next: guarded.location.href } });
  if (active.handle !== activeBusiness()) actFor(active.handle);
}

/** The search of an address, which may hold anything. */
type Search = { [Name in 'next' | 'error' | 'ended' | 'to' | 'q' | 'code']?: unknown };

const text = (value: unknown): string | undefined =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : undefined;

function page<Part extends Record<string, unknown>, Name extends keyof Part & string>(load: () => Promise<Part>, name: Name) {
  return lazyRouteComponent(retried(load), name);
}

const root = createRootRouteWithContext<RouterContext>()({ notFoundComponent: PageNotFound, errorComponent: PageFailed });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/inbox' });
  },
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Search): { next?: string | undefined; error?: string | undefined; ended?: true | undefined } => ({
    next: text(search.next),
    error: text(search.error),
    ended: search.ended === true || undefined,
  }),
  component: page(() => import('./pages/sign-in/sign-in.tsx'), 'SignInPage'),
});
const claim = createRoute({
  getParentRoute: () => root,
  path: '/claim',
  beforeLoad: requireAccount,
  validateSearch: (search: Search): { next?: string | undefined } => ({ next: text(search.next) }),
  component: page(() => import('./pages/claim/claim.tsx'), 'ClaimPage'),
});
const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  beforeLoad: requireBusiness,
  component: page(() => import('./pages/device/device.tsx'), 'DevicePage'),
});
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  component: page(() => import('./pages/claim/invitation.tsx'), 'InvitationPage'),
});
const drop = createRoute({
  getParentRoute: () => root,
  path: '/@{$handle}',
  component: page(() => import('./pages/drop/drop.tsx'), 'DropPage'),
});
const receipt = createRoute({
  getParentRoute: () => root,
  path: '/r/$token',
  component: page(() => import('./pages/receipt/receipt.tsx'), 'ReceiptPage'),
});

const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  beforeLoad: requireBusiness,
  component: page(() => import('./frame/frame.tsx'), 'Frame'),
});

const welcome = createRoute({
  getParentRoute: () => app,
  path: '/welcome',
  component: page(() => import('./pages/claim/welcome.tsx'), 'WelcomePage'),
});
const mailbox = createRoute({
  getParentRoute: () => app,
  id: 'mailbox',
  component: page(() => import('./pages/messages/inbox/mailbox.tsx'), 'MailboxPage'),
});
const inbox = createRoute({
  getParentRoute: () => mailbox,
  path: '/inbox',
  validateSearch: parseListSearch,
  // The mailbox shows the list.
  component: () => null,
});
const outbox = createRoute({
  getParentRoute: () => app,
  path: '/outbox',
  validateSearch: parseListSearch,
  beforeLoad: ({ search }) => {
    // In the former outbox, the sender for the business was a separate filter.
    throw redirect({ to: '/inbox', search: { ...parseListSearch({ ...search }), with: undefined, view: 'sent' } });
  },
});
const thread = createRoute({
  getParentRoute: () => mailbox,
  path: '/threads/$id',
  component: page(() => import('./pages/messages/thread.tsx'), 'ThreadPage'),
});
const compose = createRoute({
  getParentRoute: () => app,
  path: '/compose',
  validateSearch: (search: Search): { to?: string | undefined } => ({ to: text(search.to) }),
  component: page(() => import('./pages/messages/compose.tsx'), 'ComposePage'),
});
const search = createRoute({
  getParentRoute: () => app,
  path: '/search',
  validateSearch: (search: Search): { q?: string | undefined } => ({ q: text(search.q) }),
  component: page(() => import('./pages/search/search.tsx'), 'SearchPage'),
});
const contacts = createRoute({
  getParentRoute: () => app,
  path: '/contacts',
  component: page(() => import('./pages/contacts/contacts.tsx'), 'ContactsPage'),
});
const contact = createRoute({
  getParentRoute: () => app,
  path: '/contacts/$address',
  component: page(() => import('./pages/contacts/contact.tsx'), 'ContactPage'),
});
const agents = createRoute({
  getParentRoute: () => app,
  path: '/agents',
  component: page(() => import('./pages/agents/agents.tsx'), 'AgentsPage'),
});
const members = createRoute({
  getParentRoute: () => app,
  path: '/members',
  component: page(() => import('./pages/members/members.tsx'), 'MembersPage'),
});
const domains = createRoute({
  getParentRoute: () => app,
  path: '/domains',
  component: page(() => import('./pages/domains/domains.tsx'), 'DomainsPage'),
});
const webhooks = createRoute({
  getParentRoute: () => app,
  path: '/webhooks',
  component: page(() => import('./pages/webhooks/webhooks.tsx'), 'WebhooksPage'),
});
const webhook = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$id',
  component: page(() => import('./pages/webhooks/webhook.tsx'), 'WebhookPage'),
});
const consumers = createRoute({
  getParentRoute: () => app,
  path: '/consumers',
  component: page(() => import('./pages/consumers/consumers.tsx'), 'ConsumersPage'),
});
const consumer = createRoute({
  getParentRoute: () => app,
  path: '/consumers/$name',
  component: page(() => import('./pages/consumers/consumer.tsx'), 'ConsumerPage'),
});
const delivery = createRoute({
  getParentRoute: () => app,
  path: '/webhooks/$id/messages/$delivery',
  component: page(() => import('./pages/webhooks/delivery.tsx'), 'DeliveryPage'),
});
const schema = createRoute({
  getParentRoute: () => app,
  path: '/schema',
  component: page(() => import('./pages/schema/schema.tsx'), 'SchemaPage'),
});
const blocks = createRoute({
  getParentRoute: () => app,
  path: '/blocks',
  component: page(() => import('./pages/blocks/blocks.tsx'), 'BlocksPage'),
});
const usage = createRoute({
  getParentRoute: () => app,
  path: '/usage',
  component: page(() => import('./pages/usage/usage.tsx'), 'UsagePage'),
});
const account = createRoute({
  getParentRoute: () => app,
  path: '/account',
  component: page(() => import('./pages/account/account.tsx'), 'AccountPage'),
});
const settings = createRoute({
  getParentRoute: () => app,
  path: '/settings',
  component: page(() => import('./pages/settings/settings.tsx'), 'SettingsPage'),
});

const tree = root.addChildren([
  home,
  signIn,
  claim,
  device,
  invitation,
  drop,
  receipt,
  app.addChildren([
    welcome,
    mailbox.addChildren([inbox, thread]),
    outbox,
    compose,
    search,
    contacts,
    contact,
    agents,
    members,
    domains,
    webhooks,
    webhook,
    consumers,
    consumer,
    delivery,
    schema,
    blocks,
    usage,
    account,
    settings,
  ]),
]);

export function createPages(queries: QueryClient) {
  const router = createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultPendingMinMs: 0,
  });
  // The scripts of the first page are loaded together with the account, not after it. Visitors who must sign in first need none of them.
  if (activeBusiness() !== undefined) {
    const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
    for (const route of routes) void router.loadRouteChunk(route)?.catch(() => undefined);
  }
  return router;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
