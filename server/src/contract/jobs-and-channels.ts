/**
 * Names that SQL and TypeScript share. server/sql and stores write them out. A test compares them with these lists and the jobs that the service
 * handles.
 */

/** Jobs that a transaction queues, with queue_job or add_job. Scheduled jobs are named where they are defined. */
export const JOBS = {
  acknowledgeMessage: 'acknowledge-message',
  filterEntries: 'filter-entries',
  filterThreads: 'filter-threads',
  forgetWebhook: 'forget-webhook',
  hashObject: 'hash-object',
  indexContacts: 'index-contacts',
  joinHistory: 'join-history',
  mailNotifications: 'mail-notifications',
  notifyOfReply: 'notify-of-reply',
  releaseAttempts: 'release-attempts',
  renameContact: 'rename-contact',
  sendMail: 'send-mail',
  tellOfFailingWebhook: 'tell-of-failing-webhook',
  tellOfPausedWebhook: 'tell-of-paused-webhook',
  unassignThreads: 'unassign-threads',
} as const;

export const CHANNELS = {
  /**
   * Notifies processes of the topics that others wait for, and of their events (platform/postgres/topics.ts). An empty payload says
   * nothing.
   */
  topics: 'waybill_topics',
  /** Tells all processes to drop the cache entries of the subjects in the payload. */
  changes: 'waybill_changes',
  changesHeard: 'waybill_changes_heard',
  tokens: 'waybill_tokens',
  /** The webhooks in the payload have attempts due. An empty payload: any webhook may have. */
  webhooks: 'waybill_webhooks',
} as const;
