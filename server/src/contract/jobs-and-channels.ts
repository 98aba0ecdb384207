/**
 * Names that SQL and TypeScript share. SQL texts write them out, in server/sql and in stores; a test compares those texts, these
 * lists and the jobs that the service handles.
 */

/** Jobs that a transaction queues with add_job. Jobs that only run on a schedule are named where they are defined. */
export const JOBS = {
  forgetWebhook: 'forget-webhook',
  hashObject: 'hash-object',
  indexContacts: 'index-contacts',
  joinHistory: 'join-history',
  mailNotifications: 'mail-notifications',
  notifyOfReply: 'notify-of-answer',
  releaseAttempts: 'release-attempts',
  renameContact: 'rename-contact',
  sendMail: 'send-mail',
  tellOfFailingWebhook: 'tell-of-failing-webhook',
  tellOfPausedWebhook: 'tell-of-paused-webhook',
  unassignThreads: 'unassign-threads',
} as const;

/** Channels of NOTIFY. */
export const CHANNELS = {
  /** What processes wait for, and what has come of it (platform/postgres/topics.ts). An empty payload says nothing. */
  topics: 'waybill_topics',
  /** Tells all processes to drop the cache entries that depend on the subjects in the payload. */
  changes: 'waybill_changes',
  /** Confirms that a process has dropped them. */
  changesHeard: 'waybill_changes_heard',
  /** The tokens that a process has taken from rate limits. */
  tokens: 'waybill_tokens',
  /** The webhooks in the payload have attempts due; an empty payload means that any may have. */
  webhooks: 'waybill_webhooks',
} as const;
