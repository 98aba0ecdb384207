import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Context } from './context.ts';
import { BUSINESS_RATE_FACTOR } from './contract/limits.ts';
import type { Gate } from './http/admission.ts';
import { ByteBudget } from './http/byte-budget.ts';
import { Compressor } from './http/compression.ts';
import type { Route } from './http/endpoint.ts';
import { collectHeldBytes, collectMetrics } from './http/metrics.ts';
import { NetworkRate } from './http/network-rate.ts';
import { Pace } from './http/pace.ts';
import { RateLimiter } from './http/rate-limit.ts';
import { Responses } from './http/responses.ts';
import { registerRoutes } from './http/routes.ts';
import { createServer } from './http/server.ts';
import { UnknownKeys } from './http/unknown-keys.ts';
import * as auth from './modules/accounts/auth-routes.ts';
import * as accounts from './modules/accounts/routes.ts';
import * as acknowledgements from './modules/acknowledgements/routes.ts';
import * as agentCards from './modules/agent-cards/routes.ts';
import * as keys from './modules/agents/key-routes.ts';
import * as agents from './modules/agents/routes.ts';
import * as blocks from './modules/blocks/routes.ts';
import * as consumers from './modules/consumers/routes.ts';
import * as work from './modules/consumers/work-routes.ts';
import * as contacts from './modules/contacts/routes.ts';
import * as deviceLogins from './modules/device-logins/routes.ts';
import * as ownTypes from './modules/document-types/own-routes.ts';
import * as documentTypes from './modules/document-types/routes.ts';
import { HOME } from './modules/documentation/library.ts';
import { documentation } from './modules/documentation/routes.ts';
import * as domainKeys from './modules/domain-keys/routes.ts';
import * as domains from './modules/domains/routes.ts';
import * as dropPage from './modules/drop/drop-page-routes.ts';
import * as drop from './modules/drop/routes.ts';
import * as exports from './modules/export/routes.ts';
import * as objects from './modules/files/object-routes.ts';
import * as files from './modules/files/routes.ts';
import * as inboxSchema from './modules/inbox-schema/routes.ts';
import * as typeSchemas from './modules/inbox-schema/type-routes.ts';
import * as live from './modules/live/routes.ts';
import * as log from './modules/log/routes.ts';
import { keepsMails } from './modules/mail/kept-mail-access.ts';
import * as keptMail from './modules/mail/kept-mail-routes.ts';
import * as mail from './modules/mail/routes.ts';
import * as mcp from './modules/mcp/routes.ts';
import * as me from './modules/me/routes.ts';
import { callerOf } from './modules/members/caller.ts';
import * as members from './modules/members/routes.ts';
import { sendBatch } from './modules/messages/batch-routes.ts';
import * as messages from './modules/messages/routes.ts';
import * as signatures from './modules/messages/signature-routes.ts';
import * as operations from './modules/operations/routes.ts';
import * as parties from './modules/parties/routes.ts';
import * as proofs from './modules/receipts/proof-routes.ts';
import * as receipts from './modules/receipts/routes.ts';
import * as renditions from './modules/renditions/routes.ts';
import * as search from './modules/search/routes.ts';
import * as signingKeys from './modules/signatures/key-routes.ts';
import * as comments from './modules/threads/comment-routes.ts';
import * as notifications from './modules/threads/notification-routes.ts';
import * as threads from './modules/threads/routes.ts';
import * as views from './modules/threads/view-routes.ts';
import * as usage from './modules/usage/routes.ts';
import type { Pages } from './modules/web/pages.ts';
import { agreedTexts, pageRoutes } from './modules/web/routes.ts';
import * as webhookDeliveries from './modules/webhooks/delivery-routes.ts';
import * as recoveries from './modules/webhooks/recovery-routes.ts';
import * as redelivery from './modules/webhooks/redeliver-routes.ts';
import * as webhooks from './modules/webhooks/routes.ts';

/** The whole API. http/endpoint.ts explains the third column, who may call. */
export const api: readonly Route<Context>[] = [
  ['POST', '/v1/messages', 'key rw', messages.send],
  ['POST', '/v1/messages/batch', 'key rw', sendBatch],
  ['GET', '/v1/inbox', 'key', messages.inbox],
  ['GET', '/v1/outbox', 'key rw', messages.outbox],
  ['GET', '/v1/messages/:id', 'key', messages.getOne],
  ['GET', '/v1/messages/:id/document.pdf', 'key', renditions.pdf],
  ['GET', '/v1/messages/:id/document.csv', 'key', renditions.csv],
  ['GET', '/v1/messages/:id/document.xlsx', 'key', renditions.xlsx],
  ['GET', '/v1/messages/:id/document.xml', 'key', renditions.xml],
  ['GET', '/v1/messages/:id/proof', 'key', proofs.ofMessage],
  ['GET', '/v1/messages/:id/signature', 'key', signatures.ofMessage],
  ['POST', '/v1/messages/:id/acknowledge', 'key rw', acknowledgements.acknowledge],
  ['GET', '/v1/messages/:id/acknowledgements', 'key', acknowledgements.list],
  ['POST', '/v1/messages/:id/redeliver', 'key rw', redelivery.redeliver],
  ['GET', '/v1/receipts/:token', 'public', receipts.getOne],
  ['GET', '/v1/receipts/:token/proof', 'public', proofs.ofReceipt],
  ['GET', '/v1/receipts/:token/signature', 'public', signatures.ofReceipt],
  ['GET', '/v1/threads', 'key', threads.list],
  ['GET', '/v1/threads/counts', 'key', threads.counts],
  ['GET', '/v1/threads/labels', 'key', threads.labelList],
  ['GET', '/v1/threads/assignees', 'key', threads.assignees],
  ['POST', '/v1/threads/batch', 'key rw', threads.changeMany],
  ['GET', '/v1/threads/:id', 'key', threads.getOne],
  ['PATCH', '/v1/threads/:id', 'key rw', threads.change],
  ['POST', '/v1/threads/:id/read', 'key rw', threads.read],
  ['GET', '/v1/threads/:id/comments', 'key', comments.list],
  ['POST', '/v1/threads/:id/comments', 'key rw', comments.add],
  ['GET', '/v1/views', 'key', views.list],
  ['POST', '/v1/views', 'key rw', views.create],
  ['PATCH', '/v1/views/:id', 'key rw', views.change],
  ['DELETE', '/v1/views/:id', 'key rw', views.remove],
  ['PUT', '/v1/views/:id/digest', 'member', views.digest],
  ['GET', '/v1/notifications', 'key', notifications.list],
  ['POST', '/v1/notifications/read', 'key rw', notifications.read],
  ['GET', '/v1/search', 'key', search.find],
  ['GET', '/v1/export', 'key', exports.download],
  ['GET', '/v1/events', 'key', live.events],
  ['POST', '/v1/uploads', 'key rw', files.announce],
  ['GET', '/v1/uploads/:id', 'key rw', files.showUpload],
  ['POST', '/v1/uploads/:id/parts', 'key rw', files.parts],
  ['POST', '/v1/uploads/:id/complete', 'key rw', files.complete],
  ['GET', '/v1/files/:id', 'key', files.download],
  ['GET', '/v1/webhooks', 'key rw', webhooks.list],
  ['POST', '/v1/webhooks', 'key rw', webhooks.create],
  ['GET', '/v1/webhooks/:id', 'key rw', webhooks.getOne],
  ['PATCH', '/v1/webhooks/:id', 'key rw', webhooks.change],
  ['DELETE', '/v1/webhooks/:id', 'key rw', webhooks.remove],
  ['POST', '/v1/webhooks/:id/rotate-secret', 'key rw', webhooks.rotate],
  ['POST', '/v1/webhooks/:id/recover', 'key rw', recoveries.start],
  ['GET', '/v1/webhooks/:id/recoveries', 'key', recoveries.list],
  ['GET', '/v1/webhooks/:id/recoveries/:recovery_id', 'key', recoveries.getOne],
  ['PATCH', '/v1/webhooks/:id/recoveries/:recovery_id', 'key rw', recoveries.change],
  ['POST', '/v1/webhooks/:id/test', 'key rw', webhooks.test],
  ['GET', '/v1/webhooks/:id/deliveries', 'key', webhooks.deliveries],
  ['GET', '/v1/webhooks/:id/messages', 'key', webhookDeliveries.list],
  ['GET', '/v1/webhooks/:id/messages/:message_id', 'key', webhookDeliveries.getOne],
  ['GET', '/v1/webhooks/:id/statistics', 'key', webhooks.statistics],
  ['GET', '/v1/consumers', 'key rw', consumers.list],
  ['GET', '/v1/consumers/:name', 'key rw', consumers.getOne],
  ['PUT', '/v1/consumers/:name', 'key rw', consumers.put],
  ['DELETE', '/v1/consumers/:name', 'key rw', consumers.remove],
  ['POST', '/v1/consumers/:name/lease', 'key rw', work.lease],
  ['POST', '/v1/consumers/:name/ack', 'key rw', work.ack],
  ['POST', '/v1/consumers/:name/extend', 'key rw', work.extend],
  ['POST', '/v1/consumers/:name/release', 'key rw', work.release],
  ['POST', '/v1/consumers/:name/seek', 'key rw', consumers.seek],
  ['GET', '/v1/consumers/:name/parked', 'key rw', consumers.parked],
  ['POST', '/v1/consumers/:name/unpark', 'key rw', consumers.unpark],
  ['GET', '/v1/blocks', 'key rw', blocks.list],
  ['POST', '/v1/blocks', 'key rw', blocks.add],
  ['DELETE', '/v1/blocks/:id', 'key rw', blocks.remove],
  ['GET', '/v1/contacts', 'key', contacts.list],
  ['POST', '/v1/contacts', 'key rw', contacts.save],
  ['GET', '/v1/contacts/by-party', 'key', contacts.byParty],
  ['GET', '/v1/contacts/:id', 'key', contacts.getOne],
  ['PATCH', '/v1/contacts/:id', 'key rw', contacts.change],
  ['GET', '/v1/inbox/schema', 'key rw', inboxSchema.get],
  ['PUT', '/v1/inbox/schema', 'key rw', inboxSchema.set],
  ['PATCH', '/v1/inbox/schema', 'key rw', inboxSchema.change],
  ['POST', '/v1/inbox/schema/check', 'key rw', inboxSchema.check],
  ['GET', '/v1/inbox/schemas', 'key rw', typeSchemas.list],
  ['GET', '/v1/inbox/schemas/:type', 'key rw', typeSchemas.getOne],
  ['PUT', '/v1/inbox/schemas/:type', 'key rw', typeSchemas.set],
  ['PATCH', '/v1/inbox/schemas/:type', 'key rw', typeSchemas.change],
  ['DELETE', '/v1/inbox/schemas/:type', 'key rw', typeSchemas.remove],
  ['POST', '/v1/schema-check', 'key rw', inboxSchema.checkForRecipient],
  ['GET', '/v1/document-types', 'public', documentTypes.list],
  ['GET', '/v1/document-types/:type', 'public', documentTypes.getOne],
  ['PUT', '/v1/document-types/:type', 'key rw', ownTypes.set],
  ['DELETE', '/v1/document-types/:type', 'key rw', ownTypes.remove],
  ['POST', '/v1/document-types/:type/check', 'key rw', documentTypes.check],
  ['GET', '/v1/business/document-types', 'key', ownTypes.list],
  ['GET', '/v1/business/document-types/:type', 'key', ownTypes.getOne],
  ['GET', '/v1/agents', 'key', agents.list],
  ['GET', '/v1/agents/:id', 'key', agents.getOne],
  ['PATCH', '/v1/agents/:id', 'key rw', agents.change],
  ['GET', '/v1/handles', 'key', parties.search],
  ['GET', '/v1/public/:handle', 'public', parties.publicProfile],
  ['GET', '/v1/public/:handle/schema', 'public', inboxSchema.getPublished],
  ['GET', '/v1/public/:handle/document-types', 'public', ownTypes.listPublished],
  ['GET', '/v1/public/:handle/document-types/:type', 'public', ownTypes.getPublished],
  ['GET', '/v1/public/:handle/drop-page', 'public', dropPage.published],
  ['GET', '/v1/public/:handle/logo', 'public', dropPage.logo],
  ['GET', '/v1/sign-in', 'public', accounts.ways],
  ['GET', '/v1/account', 'person', accounts.show],
  ['PATCH', '/v1/account', 'person', accounts.change],
  ['GET', '/v1/account/sessions', 'person', accounts.sessions],
  ['DELETE', '/v1/account/sessions', 'person', accounts.endOthers],
  ['DELETE', '/v1/account/sessions/:id', 'person', accounts.endOne],
  ['POST', '/v1/drops', 'person', drop.send],
  ['GET', '/v1/drops/:handle', 'person', drop.door],
  ['POST', '/v1/drops/uploads', 'person', drop.announce],
  ['GET', '/v1/drops/uploads/:id', 'person', drop.showUpload],
  ['POST', '/v1/drops/uploads/:id/parts', 'person', drop.parts],
  ['POST', '/v1/drops/uploads/:id/complete', 'person', drop.complete],
  ['GET', '/v1/me', 'key', me.show],
  ['GET', '/v1/usage', 'key', usage.show],
  ['POST', '/v1/businesses', 'person', members.claim],
  ['GET', '/v1/businesses/availability', 'person', parties.availability],
  ['GET', '/v1/business', 'member', members.showBusiness],
  ['PATCH', '/v1/business', 'admin', members.changeBusiness],
  ['GET', '/v1/business/drop-page', 'member', dropPage.show],
  ['PATCH', '/v1/business/drop-page', 'admin', dropPage.change],
  ['GET', '/v1/members', 'member', members.list],
  ['PATCH', '/v1/members/:id', 'admin', members.change],
  ['DELETE', '/v1/members/:id', 'member', members.remove],
  ['GET', '/v1/invitations', 'admin', members.invitations],
  ['POST', '/v1/invitations', 'admin', members.invite],
  ['DELETE', '/v1/invitations/:id', 'admin', members.withdrawInvitation],
  ['GET', '/v1/account/invitations/:token', 'public', members.readOne],
  ['POST', '/v1/account/invitations/:token', 'person', members.accept],
  ['POST', '/v1/device-logins', 'public', deviceLogins.start],
  ['POST', '/v1/device-logins/key', 'public', deviceLogins.key],
  ['GET', '/v1/device-logins/:code', 'person', deviceLogins.getOne],
  ['POST', '/v1/device-logins/:code', 'admin', deviceLogins.allow],
  ['DELETE', '/v1/device-logins/:code', 'person', deviceLogins.refuse],
  ['POST', '/v1/agents', 'admin', agents.create],
  ['GET', '/v1/agents/:id/keys', 'admin', keys.list],
  ['POST', '/v1/agents/:id/keys', 'admin', keys.mint],
  ['DELETE', '/v1/keys/:id', 'admin', keys.revoke],
  ['GET', '/v1/agents/:id/signing-keys', 'key', signingKeys.list],
  ['POST', '/v1/agents/:id/signing-keys', 'admin', signingKeys.register],
  ['DELETE', '/v1/agents/:id/signing-keys/:key_id', 'admin', signingKeys.revoke],
  ['GET', '/v1/domains', 'member', domains.list],
  ['POST', '/v1/domains', 'admin', domains.add],
  ['POST', '/v1/domains/:domain/check', 'admin', domains.check],
  ['PATCH', '/v1/domains/:domain', 'owner', domains.change],
  ['DELETE', '/v1/domains/:domain', 'admin', domains.remove],
  ['GET', '/v1/domains/:domain/keys', 'member', domainKeys.read],
  ['POST', '/v1/domains/:domain/keys/check', 'admin', domainKeys.check],
  ['PUT', '/objects/:id', 'public unlimited', objects.put],
  ['GET', '/objects/:id', 'public unlimited', objects.get],
];

/** The routes of the sign-in for our own pages (docs/sign-in.md). */
export const forSigningIn: readonly Route<Context>[] = [
  ['POST', '/auth/email-otp/send-verification-otp', 'public', auth.sendCode],
  ['POST', '/auth/sign-in/email-otp', 'public', auth.withCode],
  ['POST', '/auth/sign-in/social', 'public', auth.withProvider],
  ['GET', '/auth/callback/:id', 'public', auth.callback],
  ['POST', '/auth/sign-out', 'public', auth.signOut],
  ['GET', '/auth/passkey/generate-authenticate-options', 'public', auth.passkeyChallenge],
  ['POST', '/auth/passkey/verify-authentication', 'public', auth.withPasskey],
  ['GET', '/auth/passkey/generate-register-options', 'person', auth.newPasskeyChallenge],
  ['POST', '/auth/passkey/verify-registration', 'person', auth.addPasskey],
  ['GET', '/auth/passkey/list-user-passkeys', 'person', auth.listPasskeys],
  ['POST', '/auth/passkey/update-passkey', 'person', auth.renamePasskey],
  ['POST', '/auth/passkey/delete-passkey', 'person', auth.removePasskey],
];

/** The routes of the log, as c2sp.org/tlog-tiles defines them (docs/proof.md). */
export const forVerifiers: readonly Route<Context>[] = [
  ['GET', '/.well-known/waybill.json', 'public', log.wellKnown],
  ['GET', '/log/checkpoint', 'public', log.checkpoint],
  ['GET', '/log/tile/*', 'public', log.tile],
  ['GET', '/log/:log/checkpoint', 'public', log.laterCheckpoint],
  ['GET', '/log/:log/tile/*', 'public', log.laterTile],
];

/** Protocols of others, which an OpenAPI document can't describe (docs/guides/agents-mcp.md). */
export const forAgents: readonly Route<Context>[] = [
  ['POST', '/mcp', 'key', mcp.post],
  ['GET', '/.well-known/agent-card.json', 'public', agentCards.byQuery],
  ['GET', '/@:handle/.well-known/agent-card.json', 'public', agentCards.byPath],
];

export const forOperators: readonly Route<Context>[] = [
  ['GET', '/healthz', 'public unlimited', operations.alive],
  ['GET', '/readyz', 'public unlimited', operations.ready],
  ['GET', '/metrics', 'public unlimited', operations.metrics],
];

export const linkedFromMails: readonly Route<Context>[] = [
  ['GET', '/mail/unsubscribe/:token', 'public', mail.askToUnsubscribe],
  ['POST', '/mail/unsubscribe/:token', 'public', mail.unsubscribe],
];

export const keptMails: readonly Route<Context>[] = [
  ['GET', '/dev/mail', 'public unlimited', keptMail.list],
  ['GET', '/dev/mail/:id', 'public unlimited', keptMail.show],
  ['GET', '/dev/mail/:id/html', 'public unlimited', keptMail.showHtml],
];

/** Without `pages`, only the operators' routes are registered. */
export function buildApp(context: Context, logger: Logger, pages: Pages | undefined): FastifyInstance {
  const { config, tokens } = context;
  const app = createServer(logger, config.trustedProxies);
  collectMetrics(app, context.metrics);
  const perKey = new RateLimiter(config.rateLimitPerMinute, config.rateLimitBurst, 'key or person', tokens);
  const businessRate = config.businessRateLimitPerMinute ?? BUSINESS_RATE_FACTOR * config.rateLimitPerMinute;
  const perBusiness = new RateLimiter(businessRate, BUSINESS_RATE_FACTOR * config.rateLimitBurst, 'business', tokens);
  const publicRate = config.publicRateLimitPerMinute;
  const perAddress = new NetworkRate(publicRate, 'address', tokens);
  const unknownKeys = new UnknownKeys(new NetworkRate(publicRate, 'address without a valid key', tokens));
  const pace = new Pace(config.minBytesPerS, config.slowClientS, context.metrics);
  app.addHook('onClose', async () => pace.stop());
  const budget = new ByteBudget(config.responseBytesMax);
  collectHeldBytes(budget, context.metrics);
  const gate: Gate = {
    nameOfKey: (secret) => context.keys.nameOf(secret),
    knownCaller: (name) => context.keys.known(name),
    callerFor: (name) => context.keys.callerFor(name),
    personFor: (request) => context.signIn.personFor(request),
    memberFor: (person, handle) => callerOf(context, person, handle),
    publicUrl: context.publicUrl,
    perKey,
    perBusiness,
    perAddress,
    unknownKeys,
    responses: new Responses(budget, new Compressor(config.compressionPercent), pace),
    pace,
  };
  if (!pages) {
    registerRoutes(app, forOperators, context, gate);
    return app;
  }
  const forPeople = [...pageRoutes(pages), ...agreedTexts, ...linkedFromMails, ...(keepsMails(config) ? keptMails : [])];
  const docs = documentation(api, pages);
  const routes = [...api, ...forSigningIn, ...forVerifiers, ...forAgents, ...forOperators, ...forPeople, ...docs.routes];
  const notFoundPage = (path: string) => (path.startsWith(`${HOME}/`) ? docs.show(path, context) : pages.show(404));
  registerRoutes(app, routes, context, gate, notFoundPage);
  return app;
}
