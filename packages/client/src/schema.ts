// Generated from the OpenAPI document by `npm run api-types`; a test fails when it is out of date.

export interface paths {
  "/v1/messages": {
    post: operations["postMessages"];
  };
  "/v1/messages/batch": {
    post: operations["postMessagesBatch"];
  };
  "/v1/inbox": {
    get: operations["getInbox"];
  };
  "/v1/outbox": {
    get: operations["getOutbox"];
  };
  "/v1/messages/{id}": {
    get: operations["getMessagesId"];
  };
  "/v1/messages/{id}/document.pdf": {
    get: operations["getMessagesIdDocumentPdf"];
  };
  "/v1/messages/{id}/document.csv": {
    get: operations["getMessagesIdDocumentCsv"];
  };
  "/v1/messages/{id}/document.xlsx": {
    get: operations["getMessagesIdDocumentXlsx"];
  };
  "/v1/messages/{id}/document.xml": {
    get: operations["getMessagesIdDocumentXml"];
  };
  "/v1/messages/{id}/proof": {
    get: operations["getMessagesIdProof"];
  };
  "/v1/messages/{id}/signature": {
    get: operations["getMessagesIdSignature"];
  };
  "/v1/messages/{id}/acknowledge": {
    post: operations["postMessagesIdAcknowledge"];
  };
  "/v1/messages/{id}/acknowledgements": {
    get: operations["getMessagesIdAcknowledgements"];
  };
  "/v1/messages/{id}/redeliver": {
    post: operations["postMessagesIdRedeliver"];
  };
  "/v1/receipts/{token}": {
    get: operations["getReceiptsToken"];
  };
  "/v1/receipts/{token}/proof": {
    get: operations["getReceiptsTokenProof"];
  };
  "/v1/receipts/{token}/signature": {
    get: operations["getReceiptsTokenSignature"];
  };
  "/v1/threads": {
    get: operations["getThreads"];
  };
  "/v1/threads/counts": {
    get: operations["getThreadsCounts"];
  };
  "/v1/threads/labels": {
    get: operations["getThreadsLabels"];
  };
  "/v1/threads/assignees": {
    get: operations["getThreadsAssignees"];
  };
  "/v1/threads/batch": {
    post: operations["postThreadsBatch"];
  };
  "/v1/threads/{id}": {
    get: operations["getThreadsId"];
    patch: operations["patchThreadsId"];
  };
  "/v1/threads/{id}/read": {
    post: operations["postThreadsIdRead"];
  };
  "/v1/threads/{id}/comments": {
    get: operations["getThreadsIdComments"];
    post: operations["postThreadsIdComments"];
  };
  "/v1/views": {
    get: operations["getViews"];
    post: operations["postViews"];
  };
  "/v1/views/{id}": {
    delete: operations["deleteViewsId"];
    patch: operations["patchViewsId"];
  };
  "/v1/views/{id}/digest": {
    put: operations["putViewsIdDigest"];
  };
  "/v1/notifications": {
    get: operations["getNotifications"];
  };
  "/v1/notifications/read": {
    post: operations["postNotificationsRead"];
  };
  "/v1/search": {
    get: operations["getSearch"];
  };
  "/v1/export": {
    get: operations["getExport"];
  };
  "/v1/events": {
    get: operations["getEvents"];
  };
  "/v1/uploads": {
    post: operations["postUploads"];
  };
  "/v1/uploads/{id}": {
    get: operations["getUploadsId"];
  };
  "/v1/uploads/{id}/parts": {
    post: operations["postUploadsIdParts"];
  };
  "/v1/uploads/{id}/complete": {
    post: operations["postUploadsIdComplete"];
  };
  "/v1/files/{id}": {
    get: operations["getFilesId"];
  };
  "/v1/webhooks": {
    get: operations["getWebhooks"];
    post: operations["postWebhooks"];
  };
  "/v1/webhooks/{id}": {
    get: operations["getWebhooksId"];
    delete: operations["deleteWebhooksId"];
    patch: operations["patchWebhooksId"];
  };
  "/v1/webhooks/{id}/rotate-secret": {
    post: operations["postWebhooksIdRotateSecret"];
  };
  "/v1/webhooks/{id}/recover": {
    post: operations["postWebhooksIdRecover"];
  };
  "/v1/webhooks/{id}/recoveries": {
    get: operations["getWebhooksIdRecoveries"];
  };
  "/v1/webhooks/{id}/recoveries/{recovery_id}": {
    get: operations["getWebhooksIdRecoveriesRecoveryId"];
    patch: operations["patchWebhooksIdRecoveriesRecoveryId"];
  };
  "/v1/webhooks/{id}/test": {
    post: operations["postWebhooksIdTest"];
  };
  "/v1/webhooks/{id}/deliveries": {
    get: operations["getWebhooksIdDeliveries"];
  };
  "/v1/webhooks/{id}/messages": {
    get: operations["getWebhooksIdMessages"];
  };
  "/v1/webhooks/{id}/messages/{message_id}": {
    get: operations["getWebhooksIdMessagesMessageId"];
  };
  "/v1/webhooks/{id}/statistics": {
    get: operations["getWebhooksIdStatistics"];
  };
  "/v1/consumers": {
    get: operations["getConsumers"];
  };
  "/v1/consumers/{name}": {
    get: operations["getConsumersName"];
    put: operations["putConsumersName"];
    delete: operations["deleteConsumersName"];
  };
  "/v1/consumers/{name}/lease": {
    post: operations["postConsumersNameLease"];
  };
  "/v1/consumers/{name}/ack": {
    post: operations["postConsumersNameAck"];
  };
  "/v1/consumers/{name}/extend": {
    post: operations["postConsumersNameExtend"];
  };
  "/v1/consumers/{name}/release": {
    post: operations["postConsumersNameRelease"];
  };
  "/v1/consumers/{name}/seek": {
    post: operations["postConsumersNameSeek"];
  };
  "/v1/consumers/{name}/parked": {
    get: operations["getConsumersNameParked"];
  };
  "/v1/consumers/{name}/unpark": {
    post: operations["postConsumersNameUnpark"];
  };
  "/v1/blocks": {
    get: operations["getBlocks"];
    post: operations["postBlocks"];
  };
  "/v1/blocks/{id}": {
    delete: operations["deleteBlocksId"];
  };
  "/v1/contacts": {
    get: operations["getContacts"];
    post: operations["postContacts"];
  };
  "/v1/contacts/by-party": {
    get: operations["getContactsByParty"];
  };
  "/v1/contacts/{id}": {
    get: operations["getContactsId"];
    patch: operations["patchContactsId"];
  };
  "/v1/inbox/schema": {
    get: operations["getInboxSchema"];
    put: operations["putInboxSchema"];
    patch: operations["patchInboxSchema"];
  };
  "/v1/inbox/schema/check": {
    post: operations["postInboxSchemaCheck"];
  };
  "/v1/inbox/schemas": {
    get: operations["getInboxSchemas"];
  };
  "/v1/inbox/schemas/{type}": {
    get: operations["getInboxSchemasType"];
    put: operations["putInboxSchemasType"];
    delete: operations["deleteInboxSchemasType"];
    patch: operations["patchInboxSchemasType"];
  };
  "/v1/schema-check": {
    post: operations["postSchemaCheck"];
  };
  "/v1/document-types": {
    get: operations["getDocumentTypes"];
  };
  "/v1/document-types/{type}": {
    get: operations["getDocumentTypesType"];
    put: operations["putDocumentTypesType"];
    delete: operations["deleteDocumentTypesType"];
  };
  "/v1/document-types/{type}/check": {
    post: operations["postDocumentTypesTypeCheck"];
  };
  "/v1/business/document-types": {
    get: operations["getBusinessDocumentTypes"];
  };
  "/v1/business/document-types/{type}": {
    get: operations["getBusinessDocumentTypesType"];
  };
  "/v1/agents": {
    get: operations["getAgents"];
    post: operations["postAgents"];
  };
  "/v1/agents/{id}": {
    get: operations["getAgentsId"];
    patch: operations["patchAgentsId"];
  };
  "/v1/handles": {
    get: operations["getHandles"];
  };
  "/v1/public/{handle}": {
    get: operations["getPublicHandle"];
  };
  "/v1/public/{handle}/schema": {
    get: operations["getPublicHandleSchema"];
  };
  "/v1/public/{handle}/document-types": {
    get: operations["getPublicHandleDocumentTypes"];
  };
  "/v1/public/{handle}/document-types/{type}": {
    get: operations["getPublicHandleDocumentTypesType"];
  };
  "/v1/public/{handle}/drop-page": {
    get: operations["getPublicHandleDropPage"];
  };
  "/v1/public/{handle}/logo": {
    get: operations["getPublicHandleLogo"];
  };
  "/v1/sign-in": {
    get: operations["getSignIn"];
  };
  "/v1/account": {
    get: operations["getAccount"];
    patch: operations["patchAccount"];
  };
  "/v1/account/sessions": {
    get: operations["getAccountSessions"];
    delete: operations["deleteAccountSessions"];
  };
  "/v1/account/sessions/{id}": {
    delete: operations["deleteAccountSessionsId"];
  };
  "/v1/drops": {
    post: operations["postDrops"];
  };
  "/v1/drops/{handle}": {
    get: operations["getDropsHandle"];
  };
  "/v1/drops/uploads": {
    post: operations["postDropsUploads"];
  };
  "/v1/drops/uploads/{id}": {
    get: operations["getDropsUploadsId"];
  };
  "/v1/drops/uploads/{id}/parts": {
    post: operations["postDropsUploadsIdParts"];
  };
  "/v1/drops/uploads/{id}/complete": {
    post: operations["postDropsUploadsIdComplete"];
  };
  "/v1/me": {
    get: operations["getMe"];
  };
  "/v1/usage": {
    get: operations["getUsage"];
  };
  "/v1/businesses": {
    post: operations["postBusinesses"];
  };
  "/v1/businesses/availability": {
    get: operations["getBusinessesAvailability"];
  };
  "/v1/business": {
    get: operations["getBusiness"];
    patch: operations["patchBusiness"];
  };
  "/v1/business/drop-page": {
    get: operations["getBusinessDropPage"];
    patch: operations["patchBusinessDropPage"];
  };
  "/v1/members": {
    get: operations["getMembers"];
  };
  "/v1/members/{id}": {
    delete: operations["deleteMembersId"];
    patch: operations["patchMembersId"];
  };
  "/v1/invitations": {
    get: operations["getInvitations"];
    post: operations["postInvitations"];
  };
  "/v1/invitations/{id}": {
    delete: operations["deleteInvitationsId"];
  };
  "/v1/account/invitations/{token}": {
    get: operations["getAccountInvitationsToken"];
    post: operations["postAccountInvitationsToken"];
  };
  "/v1/device-logins": {
    post: operations["postDeviceLogins"];
  };
  "/v1/device-logins/key": {
    post: operations["postDeviceLoginsKey"];
  };
  "/v1/device-logins/{code}": {
    get: operations["getDeviceLoginsCode"];
    post: operations["postDeviceLoginsCode"];
    delete: operations["deleteDeviceLoginsCode"];
  };
  "/v1/agents/{id}/keys": {
    get: operations["getAgentsIdKeys"];
    post: operations["postAgentsIdKeys"];
  };
  "/v1/keys/{id}": {
    delete: operations["deleteKeysId"];
  };
  "/v1/agents/{id}/signing-keys": {
    get: operations["getAgentsIdSigningKeys"];
    post: operations["postAgentsIdSigningKeys"];
  };
  "/v1/agents/{id}/signing-keys/{key_id}": {
    delete: operations["deleteAgentsIdSigningKeysKeyId"];
  };
  "/v1/domains": {
    get: operations["getDomains"];
    post: operations["postDomains"];
  };
  "/v1/domains/{domain}/check": {
    post: operations["postDomainsDomainCheck"];
  };
  "/v1/domains/{domain}": {
    delete: operations["deleteDomainsDomain"];
    patch: operations["patchDomainsDomain"];
  };
  "/v1/domains/{domain}/keys": {
    get: operations["getDomainsDomainKeys"];
  };
  "/v1/domains/{domain}/keys/check": {
    post: operations["postDomainsDomainKeysCheck"];
  };
  "/objects/{id}": {
    get: operations["getObjectsId"];
    put: operations["putObjectsId"];
  };
}

export type webhooks = Record<string, never>;

export interface components {
  schemas: {
    Error: {
      error: {
        /** @enum {string} */
        code: "unauthorized" | "forbidden" | "not_found" | "not_logged" | "unknown_recipient" | "party_required" | "reply_unaddressable" | "reply_recipient_mismatch" | "sender_blocked" | "rate_limited" | "quota_exceeded" | "validation_error" | "invalid_json" | "json_too_large" | "file_too_large" | "upload_not_found" | "upload_incomplete" | "invalid_webhook_url" | "invalid_signature" | "invalid_schema" | "method_not_allowed" | "unsupported_media_type" | "conflict" | "internal_error" | "unavailable";
        message: string;
        request_id: string;
        details?: {
            path: string;
            message: string;
            limit?: string;
            line?: number;
            column?: number;
            offset?: number;
          }[];
      };
    };
    Party: {
      /** @constant */
      kind: "handle";
      handle: string;
      display_name: string;
    } | {
      /** @constant */
      kind: "domain";
      domain: string;
      display_name: string;
    } | {
      /** @constant */
      kind: "mailbox";
      email: string;
      display_name: string;
    };
    Actor: {
      /** @enum {string} */
      kind: "agent" | "person" | "mailbox";
      id: string;
      name: string;
      email: string | null;
      verified: boolean;
      /** @enum {string} */
      provider: "api_key" | "email" | "google" | "microsoft" | "oidc" | "smtp";
    };
    File: {
      id: string;
      filename: string;
      content_type: string;
      size_bytes: number;
      sha256: string | null;
      download_url: string;
    };
    Validation: {
      /** @enum {string} */
      status: "passed" | "failed" | "not_applicable";
      errors: {
          path: string;
          message: string;
          keyword: string;
          allowed?: unknown[];
          allowed_count?: number;
          pattern?: string;
        }[];
    };
    SentEnvelope: {
      id: string;
      thread_id: string;
      in_reply_to: string | null;
      from: {
        party: components["schemas"]["Party"];
        actor: components["schemas"]["Actor"];
      };
      to: {
        party: components["schemas"]["Party"];
        segment?: string | null;
      };
      type: string | null;
      subject: string | null;
      note: string | null;
      expires_at: string | null;
      json: unknown;
      json_sha256: string | null;
      json_bytes_sha256: string | null;
      files: components["schemas"]["File"][];
      validation: components["schemas"]["Validation"];
      received_at: string;
      content_hash: string;
      receipt_url: string;
      idempotency_key?: string;
      promise?: string;
      proof?: string;
    };
    SendRequest: {
      to?: string | null;
      in_reply_to?: string | null;
      type?: string | null;
      subject?: string | null;
      note?: string | null;
      expires_in?: number | null;
      acknowledge?: ({
        /** @enum {string} */
        status: "accepted" | "rejected" | "processed";
        reason?: string | null;
      }) | null;
      json?: unknown;
      files?: string[];
    };
    SendRequestForm: {
      to?: string;
      in_reply_to?: string;
      type?: string;
      subject?: string;
      note?: string;
      json?: string;
      files?: string[];
      file?: string[];
    };
    EnvelopeSummary: {
      id: string;
      thread_id: string;
      in_reply_to: string | null;
      from: {
        party: components["schemas"]["Party"];
        actor: components["schemas"]["Actor"];
      };
      to: {
        party: components["schemas"]["Party"];
        segment?: string | null;
      };
      type: string | null;
      subject: string | null;
      note: string | null;
      expires_at: string | null;
      json_bytes: number | null;
      json_sha256: string | null;
      json_bytes_sha256: string | null;
      files: components["schemas"]["File"][];
      validation: components["schemas"]["Validation"];
      received_at: string;
      content_hash: string;
      receipt_url: string;
      idempotency_key?: string;
    };
    BatchOutcome: {
      status: number;
      message: components["schemas"]["EnvelopeSummary"] | null;
      error: ({
        /** @enum {string} */
        code: "unauthorized" | "forbidden" | "not_found" | "not_logged" | "unknown_recipient" | "party_required" | "reply_unaddressable" | "reply_recipient_mismatch" | "sender_blocked" | "rate_limited" | "quota_exceeded" | "validation_error" | "invalid_json" | "json_too_large" | "file_too_large" | "upload_not_found" | "upload_incomplete" | "invalid_webhook_url" | "invalid_signature" | "invalid_schema" | "method_not_allowed" | "unsupported_media_type" | "conflict" | "internal_error" | "unavailable";
        message: string;
        details?: {
            path: string;
            message: string;
          }[];
      }) | null;
      retry_after: number | null;
      idempotent_replayed: boolean;
      idempotent_body_differs: boolean;
      promise?: string;
    };
    BatchMessage: {
      to?: string | null;
      in_reply_to?: string | null;
      type?: string | null;
      subject?: string | null;
      note?: string | null;
      expires_in?: number | null;
      acknowledge?: ({
        /** @enum {string} */
        status: "accepted" | "rejected" | "processed";
        reason?: string | null;
      }) | null;
      json?: unknown;
      files?: string[];
      idempotency_key?: string | null;
    };
    BatchRequest: {
      messages: components["schemas"]["BatchMessage"][];
    };
    Envelope: {
      id: string;
      thread_id: string;
      in_reply_to: string | null;
      from: {
        party: components["schemas"]["Party"];
        actor: components["schemas"]["Actor"];
      };
      to: {
        party: components["schemas"]["Party"];
        segment?: string | null;
      };
      type: string | null;
      subject: string | null;
      note: string | null;
      expires_at: string | null;
      json: unknown;
      json_sha256: string | null;
      json_bytes_sha256: string | null;
      files: components["schemas"]["File"][];
      validation: components["schemas"]["Validation"];
      received_at: string;
      content_hash: string;
      receipt_url: string;
      idempotency_key?: string;
    };
    Proof: {
      /** @constant */
      format: "waybill-proof/1";
      envelope: string;
      log: {
        origin: string;
        vkey: string;
      };
      other_logs?: {
          origin: string;
          vkey: string;
        }[];
      proof: string;
      json?: string;
      files?: {
          id: string;
          sha256: string;
          statement: string;
          proof: string;
        }[];
      signature?: {
        key: string;
        key_proof: string;
        signature_input: string;
        signature: string;
        components: {
          [key: string]: string;
        };
        body: string;
      };
      acknowledgements?: {
          statement: string;
          proof: string;
          signature?: {
            key: string;
            key_proof: string;
            signature_input: string;
            signature: string;
            components: {
              [key: string]: string;
            };
            body: string;
          };
        }[];
      timestamps?: {
          proof: string;
          token: string;
          crls?: string[];
          renewals?: {
              statement: string;
              proof: string;
              token: string;
              crls?: string[];
            }[];
        }[];
    };
    PendingProof: {
      /** @constant */
      status: "pending";
      retry_after_s: number;
    };
    SigningKey: {
      id: string;
      public_key: string;
      created_at: string;
      revoked_at: string | null;
      domain: {
        name: string;
        since: string;
      } | null;
    };
    Signature: {
      key: components["schemas"]["SigningKey"];
      created_at: string;
      covers: ("service" | "recipient" | "files" | "content")[];
      signature_input: string;
      signature: string;
      components: {
        [key: string]: string;
      };
      body: string;
    };
    Acknowledgement: {
      /** @enum {string} */
      status: "accepted" | "rejected" | "processed";
      reason: string | null;
      at: string;
      party: components["schemas"]["Party"];
      actor: components["schemas"]["Actor"];
      number: number | null;
      signing_key_id: string | null;
    };
    AcknowledgementRequest: {
      /** @enum {string} */
      status: "accepted" | "rejected" | "processed";
      reason?: string | null;
      content_hash?: string | null;
      number?: number | null;
    };
    HandOver: {
      /** @enum {string} */
      way: "webhook" | "consumer";
      at: string;
      number: number | null;
    };
    NonDelivery: {
      at: string;
      number: number;
    };
    ReceiptFile: {
      id: string;
      filename: string;
      content_type: string;
      size_bytes: number;
      sha256: string | null;
    };
    Receipt: {
      id: string;
      thread_id: string;
      in_reply_to: string | null;
      from: {
        party: components["schemas"]["Party"];
        actor: components["schemas"]["Actor"];
      };
      to: {
        party: components["schemas"]["Party"];
        segment?: string | null;
      };
      type: string | null;
      subject: string | null;
      note: string | null;
      expires_at: string | null;
      json_sha256: string | null;
      json_bytes_sha256: string | null;
      files: components["schemas"]["ReceiptFile"][];
      validation: components["schemas"]["Validation"];
      received_at: string;
      content_hash: string;
      receipt_url: string;
      idempotency_key?: string;
    };
    MinimalReceipt: {
      /** @constant */
      detail: "minimal";
      id: string;
      from: {
        party: components["schemas"]["Party"];
      };
      to: {
        party: components["schemas"]["Party"];
      };
      json_sha256: string | null;
      json_bytes_sha256: string | null;
      files: ({
          sha256: string | null;
        })[];
      received_at: string;
      content_hash: string;
      receipt_url: string;
    };
    AnyReceipt: components["schemas"]["Receipt"] | components["schemas"]["MinimalReceipt"];
    ReceiptSignature: {
      key: components["schemas"]["SigningKey"];
      created_at: string;
      covers: ("service" | "recipient" | "files" | "content")[];
    };
    Colleague: {
      /** @enum {string} */
      kind: "person" | "agent";
      id: string;
      name: string;
    };
    ThreadDocument: {
      state: ("requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected") | null;
      type: string | null;
      number: string | null;
      total: string | null;
      currency: string | null;
      due_date: string | null;
    };
    Thread: {
      id: string;
      subject: string | null;
      parties: components["schemas"]["Party"][];
      with: components["schemas"]["Party"];
      last_message: components["schemas"]["EnvelopeSummary"];
      message_count: number;
      unread_count: number;
      /** @enum {string} */
      status: "open" | "done";
      assignee: components["schemas"]["Colleague"] | null;
      labels: string[];
      has_files: boolean;
      failed_schema: boolean;
      type: string | null;
      document: components["schemas"]["ThreadDocument"] | null;
      updated_at: string;
    };
    ThreadCount: {
      count: number;
      capped: boolean;
    };
    ThreadState: {
      subject: string | null;
      message_count: number;
      unread_count: number;
      /** @enum {string} */
      status: "open" | "done";
      assignee: components["schemas"]["Colleague"] | null;
      labels: string[];
      document: components["schemas"]["ThreadDocument"] | null;
    };
    Comment: {
      id: string;
      author: components["schemas"]["Colleague"];
      text: string;
      mentions: components["schemas"]["Colleague"][];
      created_at: string;
    };
    View: {
      id: string;
      name: string;
      filter: {
        /** @enum {string} */
        box?: "in" | "out";
        /** @enum {string} */
        status?: "open" | "done";
        assignee?: string;
        label?: string;
        unread?: boolean;
        type?: string;
        with?: string;
        segment?: string;
        failed_schema?: boolean;
        since?: string;
        until?: string;
        /** @enum {string} */
        document_state?: "requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected";
        number?: string;
        due_after?: string;
        due_before?: string;
        total_min?: string;
        total_max?: string;
        /** @enum {string} */
        sort?: "updated" | "due_date" | "total" | "number";
        /** @enum {string} */
        order?: "asc" | "desc";
      };
      shared: boolean;
      mine: boolean;
      threads: components["schemas"]["ThreadCount"];
      /** @enum {string} */
      digest: "hourly" | "daily" | "never";
      created_at: string;
    };
    Notification: {
      id: string;
      /** @enum {string} */
      kind: "mention" | "assignment";
      thread_id: string;
      subject: string | null;
      comment_id: string | null;
      by: components["schemas"]["Colleague"];
      created_at: string;
      read: boolean;
    };
    SearchMatch: {
      /** @enum {string} */
      field: "subject" | "type" | "note" | "from" | "to" | "file" | "id" | "thread_id" | "json" | "comment" | "author";
      text: string;
      marks: number[][];
    };
    SearchResult: {
      message: components["schemas"]["EnvelopeSummary"];
      thread_id: string;
      thread_subject: string | null;
      matches: components["schemas"]["SearchMatch"][];
      comment?: {
        id: string;
        author: components["schemas"]["Colleague"];
        text: string;
        created_at: string;
      };
    };
    Upload: {
      upload_id: string;
      upload_url: string;
      /** @constant */
      method: "PUT";
      headers: {
        [key: string]: string;
      };
      expires_at: string;
    };
    PartedUpload: {
      upload_id: string;
      filename: string;
      content_type: string;
      size_bytes: number;
      part_size_bytes: number;
      arrived_parts: number[];
      complete: boolean;
      expires_at: string;
    };
    WholeUpload: {
      upload_id: string;
      filename: string;
      content_type: string;
      size_bytes: number;
      /** @enum {string} */
      state: "announced" | "uploaded" | "sealed";
      complete: boolean;
      expires_at: string;
    };
    PartTickets: {
      parts: {
          number: number;
          size_bytes: number;
          url: string;
          headers: {
            [key: string]: string;
          };
        }[];
      expires_at: string;
    };
    Download: {
      download_url: string;
      expires_at: string;
    };
    Webhook: {
      id: string;
      url: string;
      active: boolean;
      pause: ({
        /** @enum {string} */
        reason: "never_succeeded" | "failing" | "gone" | "requested";
        since: string;
      }) | null;
      last_pause: {
        since: string;
        until: string;
      } | null;
      target: string | null;
      description: string | null;
      types: string[] | null;
      header_names: string[];
      max_per_second: number | null;
      ordered: boolean;
      events: ("message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired")[];
      signatures: ("hmac" | "ed25519")[];
      client_certificate: boolean;
      public_key: string | null;
      failing_since: string | null;
      created_at: string;
    };
    CreatedWebhook: {
      id: string;
      url: string;
      active: boolean;
      pause: ({
        /** @enum {string} */
        reason: "never_succeeded" | "failing" | "gone" | "requested";
        since: string;
      }) | null;
      last_pause: {
        since: string;
        until: string;
      } | null;
      target: string | null;
      description: string | null;
      types: string[] | null;
      header_names: string[];
      max_per_second: number | null;
      ordered: boolean;
      events: ("message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired")[];
      signatures: ("hmac" | "ed25519")[];
      client_certificate: boolean;
      public_key: string | null;
      failing_since: string | null;
      created_at: string;
      secret: string;
    };
    Recovery: {
      id: string;
      webhook_id: string;
      /** @enum {string} */
      state: "running" | "paused" | "completed" | "cancelled";
      /** @enum {string} */
      only: "failed" | "missing" | "undelivered" | "all";
      since: string;
      until: string;
      through: string;
      total: number | null;
      done: number;
      queued: number;
      retrying: number;
      created_at: string;
      ended_at: string | null;
    };
    Delivery: {
      id: string;
      webhook_id: string;
      message_id: string | null;
      event_id: string;
      /** @enum {string} */
      event: "message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired" | "message.test";
      replay: boolean;
      attempt: number;
      /** @enum {string} */
      status: "pending" | "delivered" | "retrying" | "dropped" | "failed";
      status_code: number | null;
      response_ms: number | null;
      error: string | null;
      created_at: string;
      attempted_at: string | null;
      next_attempt_at: string | null;
    };
    WebhookMessage: {
      webhook_id: string;
      message_id: string | null;
      event_id: string;
      /** @enum {string} */
      state: "pending" | "delivered" | "retrying" | "dropped" | "failed";
      next_attempt_at: string | null;
      message: ({
        type: string | null;
        subject: string | null;
        from: components["schemas"]["Party"];
        to: components["schemas"]["Party"];
      }) | null;
      latest_attempt: components["schemas"]["Delivery"];
    };
    WebhookDelivery: {
      webhook_id: string;
      message_id: string | null;
      event_id: string;
      /** @enum {string} */
      state: "pending" | "delivered" | "retrying" | "dropped" | "failed";
      next_attempt_at: string | null;
      body: string | null;
      attempts: ({
          id: string;
          webhook_id: string;
          message_id: string | null;
          event_id: string;
          /** @enum {string} */
          event: "message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired" | "message.test";
          replay: boolean;
          attempt: number;
          /** @enum {string} */
          status: "pending" | "delivered" | "retrying" | "dropped" | "failed";
          status_code: number | null;
          response_ms: number | null;
          error: string | null;
          created_at: string;
          attempted_at: string | null;
          next_attempt_at: string | null;
          request: ({
            url: string;
            headers: ({
                name: string;
                value: string | null;
              })[];
            body_as_shown: boolean | null;
          }) | null;
          response: ({
            headers: ({
                name: string;
                value: string | null;
              })[];
            body: string;
            truncated: boolean;
          }) | null;
        })[];
    };
    WebhookStatistics: {
      webhook_id: string;
      /** @enum {string} */
      period: "24h" | "7d" | "30d";
      counted_since: string | null;
      totals: {
        delivered: number;
        failed: number;
        p50_ms: number | null;
        p95_ms: number | null;
      };
      buckets: ({
          start: string;
          delivered: number;
          failed: number;
          p50_ms: number | null;
          p95_ms: number | null;
        })[];
    };
    Consumer: {
      name: string;
      filter: {
        types?: string[];
        target?: string;
        /** @enum {string} */
        validation?: "passed" | "failed" | "not_applicable";
      };
      ordered: boolean;
      max_tries: number;
      position: string;
      lag: number;
      leased: number;
      parked: number;
      oldest_unacknowledged_at: string | null;
      holders: {
          holder: string;
          leased: number;
          lease_until: string;
        }[];
      created_at: string;
    };
    LeasedMessage: {
      message: components["schemas"]["Envelope"];
      tries: number;
      lease_until: string;
      position: string;
    };
    ParkedMessage: {
      message_id: string;
      tries: number;
      reason: string | null;
      parked_at: string;
    };
    Block: {
      id: string;
      user_id: string | null;
      email_domain: string | null;
      handle: string | null;
      created_at: string;
    };
    Contact: {
      id: string | null;
      saved: boolean;
      archived: boolean;
      party: components["schemas"]["Party"];
      label: string;
      notes: string;
      can_initiate: boolean;
      blocked: boolean;
      activity: {
        first_seen_at: string | null;
        last_seen_at: string | null;
        last_direction: ("in" | "out") | null;
        messages_in: number;
        messages_out: number;
        types: string[];
        actors: ({
            kind: string;
            name: string;
            email: string | null;
          })[];
      };
    };
    InboxSchema: {
      schema: unknown;
      updated_at: string | null;
      published: boolean;
    };
    SchemaCheck: {
      schema: {
        valid: boolean;
        errors: {
            path: string;
            message: string;
            keyword?: string;
          }[];
      };
      validation: components["schemas"]["Validation"] | null;
    };
    TypeSchemaHead: {
      type: string;
      updated_at: string;
      published: boolean;
      bytes: number;
    };
    TypeSchema: {
      type: string;
      schema: unknown;
      updated_at: string;
      published: boolean;
    };
    RecipientCheck: {
      validation: components["schemas"]["Validation"];
    };
    DocumentTypeHead: {
      type: string;
      title: string;
      description: string;
      version: number;
    };
    DocumentLayout: {
      number: string;
      currency?: string;
      parties: string[];
      facts: ({
          path: string;
          /** @enum {string} */
          format?: "money" | "quantity" | "percent";
        })[];
      lines?: {
        path: string;
        columns: ({
            path: string;
            /** @enum {string} */
            format?: "money" | "quantity" | "percent";
          })[];
        details?: ({
            path: string;
            /** @enum {string} */
            format?: "money" | "quantity" | "percent";
          })[];
      };
      tables: ({
          path: string;
          columns: ({
              path: string;
              /** @enum {string} */
              format?: "money" | "quantity" | "percent";
            })[];
          details?: ({
              path: string;
              /** @enum {string} */
              format?: "money" | "quantity" | "percent";
            })[];
        })[];
      totals: ({
          path: string;
          /** @enum {string} */
          format?: "money" | "quantity" | "percent";
        })[];
      terms: ({
          path: string;
          /** @enum {string} */
          format?: "money" | "quantity" | "percent";
        })[];
      notes: string[];
    };
    DocumentType: {
      type: string;
      title: string;
      description: string;
      version: number;
      schema: {
        [key: string]: unknown;
      };
      samples: {
          [key: string]: unknown;
        }[];
      layout: components["schemas"]["DocumentLayout"];
    };
    OwnDocumentType: {
      type: string;
      title: string;
      description: string;
      version: number;
      schema: {
        [key: string]: unknown;
      };
      samples: {
          [key: string]: unknown;
        }[];
      layout: components["schemas"]["DocumentLayout"];
      updated_at: string;
      published: boolean;
    };
    DocumentCheck: {
      valid: boolean;
      errors: {
          path: string;
          message: string;
          keyword: string;
          allowed?: unknown[];
          allowed_count?: number;
          pattern?: string;
        }[];
      warnings: {
          path: string;
          code: string;
          message: string;
        }[];
    };
    OwnDocumentTypeHead: {
      type: string;
      title: string;
      description: string;
      version: number;
      updated_at: string;
      published: boolean;
    };
    Agent: {
      id: string;
      name: string;
      description: string | null;
      segment: string | null;
      address: string;
      created_at: string;
    };
    PublicProfile: {
      handle: string;
      display_name: string;
      verified_domains: string[];
      accepting_drops: boolean;
    };
    PublishedSchema: {
      schema: unknown;
      updated_at: string | null;
    };
    PublishedDocumentTypeHead: {
      type: string;
      title: string;
      description: string;
      version: number;
      updated_at: string;
    };
    PublishedDocumentType: {
      type: string;
      title: string;
      description: string;
      version: number;
      schema: {
        [key: string]: unknown;
      };
      samples: {
          [key: string]: unknown;
        }[];
      layout: components["schemas"]["DocumentLayout"];
      updated_at: string;
    };
    DropPage: {
      welcome: string;
      accent: string | null;
      logo_path: string | null;
    };
    SignIn: {
      email: boolean;
      google: boolean;
      microsoft: boolean;
      oidc: {
        name: string;
      } | null;
      passkey: boolean;
      mails_at: string | null;
    };
    Account: {
      id: string;
      email: string | null;
      name: string;
      /** @enum {string} */
      provider: "email" | "google" | "microsoft" | "oidc";
      /** @enum {string} */
      proves: "mailbox" | "domain" | "nothing";
      created_at: string;
      /** @enum {string} */
      notification_mail: "at_once" | "hourly" | "daily" | "never";
      businesses: ({
          handle: string;
          display_name: string;
          /** @enum {string} */
          role: "owner" | "admin" | "member";
        })[];
    };
    Session: {
      id: string;
      /** @enum {string} */
      provider: "email" | "google" | "microsoft" | "oidc";
      passkey: string | null;
      address: string;
      user_agent: string;
      current: boolean;
      created_at: string;
      last_seen_at: string;
      expires_at: string;
    };
    Door: {
      to: components["schemas"]["PublicProfile"];
      sender: components["schemas"]["Party"] | null;
      allowed: boolean;
      reason: ({
        /** @enum {string} */
        code: "unauthorized" | "forbidden" | "not_found" | "not_logged" | "unknown_recipient" | "party_required" | "reply_unaddressable" | "reply_recipient_mismatch" | "sender_blocked" | "rate_limited" | "quota_exceeded" | "validation_error" | "invalid_json" | "json_too_large" | "file_too_large" | "upload_not_found" | "upload_incomplete" | "invalid_webhook_url" | "invalid_signature" | "invalid_schema" | "method_not_allowed" | "unsupported_media_type" | "conflict" | "internal_error" | "unavailable";
        message: string;
      }) | null;
    };
    Me: {
      business: {
        handle: string;
        display_name: string;
        verified_domains: string[];
        accepting_drops: boolean;
        created_at: string;
      };
      agent: ({
        id: string;
        name: string;
        description: string | null;
      }) | null;
      key: ({
        id: string;
        /** @enum {string} */
        scope: "read" | "read_write";
        prefix: string;
        created_at: string;
      }) | null;
      member?: {
        id: string;
        name: string;
        /** @enum {string} */
        role: "owner" | "admin" | "member";
      };
      addresses: {
        handle: string;
        segment: string | null;
        email: string | null;
        drop_page: string;
      };
      usage: {
        period: string;
        messages: {
          used: number;
          limit: number;
        };
        uploads: {
          used_bytes: number;
          limit_bytes: number;
          resets_at: string;
        };
        resets_at: string;
      };
    };
    Usage: {
      period: string;
      messages: {
        used: number;
        limit: number;
      };
      uploads: {
        used_bytes: number;
        limit_bytes: number;
        resets_at: string;
      };
      resets_at: string;
      new_account: {
        used: number;
        limit: number;
        resets_at: string;
        until: string;
      } | null;
      days: {
          date: string;
          sent: number;
          received: number;
          uploaded_bytes: number;
        }[];
    };
    Business: {
      handle: string;
      display_name: string;
      verified_domains: string[];
      accepting_drops: boolean;
      /** @enum {string} */
      receipts: "full" | "minimal";
      agent_card: boolean;
      created_at: string;
    };
    Availability: {
      handle: string;
      available: boolean;
      reason: ("taken" | "reserved" | "invalid") | null;
    };
    Member: {
      id: string;
      name: string;
      email: string | null;
      /** @enum {string} */
      role: "owner" | "admin" | "member";
      segment: string | null;
      address: string;
      joined_at: string;
    };
    Invitation: {
      id: string;
      email: string;
      /** @enum {string} */
      role: "owner" | "admin" | "member";
      segment: string | null;
      created_at: string;
      expires_at: string;
    };
    Key: {
      id: string;
      /** @enum {string} */
      scope: "read" | "read_write";
      prefix: string;
      created_at: string;
      last_used_at: string | null;
      revoked_at: string | null;
    };
    Domain: {
      domain: string;
      /** @enum {string} */
      state: "pending" | "verified" | "failing";
      record: {
        /** @constant */
        type: "TXT";
        name: string;
        value: string;
      } | null;
      /** @enum {string} */
      senders: "everybody" | "members";
      verified_at: string | null;
      checked_at: string | null;
      missing_since: string | null;
    };
    DomainKeys: {
      domain: string;
      url: string;
      keys: string[];
      since: string | null;
      checked_at: string | null;
      missing_since: string | null;
      problem: string | null;
    };
    UpdatedThread: {
      id: string;
      subject: string | null;
      with: components["schemas"]["Party"];
      message_count: number;
      comment_count: number;
      /** @enum {string} */
      status: "open" | "done";
      assignee: components["schemas"]["Colleague"] | null;
      labels: string[];
      document: components["schemas"]["ThreadDocument"] | null;
    };
    AcknowledgedMessage: {
      message_id: string;
      thread_id: string;
      /** @enum {string} */
      status: "accepted" | "rejected" | "processed";
      acknowledgements: components["schemas"]["Acknowledgement"][];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}

export type $defs = Record<string, never>;

export type external = Record<string, never>;

export interface operations {

  postMessages: {
    parameters: {
      header?: {
        "Idempotency-Key"?: string;
        "Content-Digest"?: string;
        "Signature-Input"?: string;
        Signature?: string;
        "Waybill-Recipient"?: string;
        "Waybill-Files"?: string;
        Prefer?: string;
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "to": "globex/orders",
         *   "type": "order",
         *   "subject": "Order 4711",
         *   "note": "Please confirm.",
         *   "expires_in": 60,
         *   "acknowledge": {
         *     "status": "accepted",
         *     "reason": "timed out"
         *   },
         *   "json": {
         *     "items": [
         *       {
         *         "sku": "A-1",
         *         "quantity": 3
         *       }
         *     ]
         *   }
         * }
         */
        "application/json": components["schemas"]["SendRequest"];
        "multipart/form-data": components["schemas"]["SendRequestForm"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["SentEnvelope"];
        };
      };
    };
  };
  postMessagesBatch: {
    parameters: {
      header?: {
        "Idempotency-Key"?: string;
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["BatchRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["BatchOutcome"][];
          };
        };
      };
    };
  };
  getInbox: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        include?: "summary";
        since?: string;
        until?: string;
        from?: string;
        type?: string;
        validation?: "passed" | "failed" | "not_applicable";
        thread?: string;
        to?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: (components["schemas"]["Envelope"] | components["schemas"]["EnvelopeSummary"])[];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getOutbox: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        include?: "summary";
        since?: string;
        until?: string;
        from?: string;
        type?: string;
        validation?: "passed" | "failed" | "not_applicable";
        thread?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: (components["schemas"]["Envelope"] | components["schemas"]["EnvelopeSummary"])[];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getMessagesId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Envelope"];
        };
      };
    };
  };
  getMessagesIdDocumentPdf: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  getMessagesIdDocumentCsv: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  getMessagesIdDocumentXlsx: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
        };
      };
    };
  };
  getMessagesIdDocumentXml: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/xml": string;
        };
      };
    };
  };
  getMessagesIdProof: {
    parameters: {
      query?: {
        contents?: boolean;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/vnd.waybill.proof+json": components["schemas"]["Proof"];
        };
      };
    };
  };
  getMessagesIdSignature: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Signature"];
        };
      };
    };
  };
  postMessagesIdAcknowledge: {
    parameters: {
      header?: {
        "Content-Digest"?: string;
        "Signature-Input"?: string;
        Signature?: string;
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["AcknowledgementRequest"];
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Acknowledgement"];
        };
      };
    };
  };
  getMessagesIdAcknowledgements: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Acknowledgement"][];
            handed_over: components["schemas"]["HandOver"] | null;
            expired: components["schemas"]["NonDelivery"] | null;
            next_number: number;
          };
        };
      };
    };
  };
  postMessagesIdRedeliver: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          webhook_id: string;
        };
      };
    };
    responses: {
      202: {
        content: {
          "application/json": {
            /** @constant */
            queued: true;
            job_id: string;
          };
        };
      };
    };
  };
  getReceiptsToken: {
    parameters: {
      path: {
        token: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["AnyReceipt"];
        };
      };
    };
  };
  getReceiptsTokenProof: {
    parameters: {
      query?: {
        format?: "tlog-proof" | "bundle";
      };
      path: {
        token: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
          "application/vnd.waybill.proof+json": components["schemas"]["Proof"];
        };
      };
    };
  };
  getReceiptsTokenSignature: {
    parameters: {
      path: {
        token: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ReceiptSignature"];
        };
      };
    };
  };
  getThreads: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        box?: "in" | "out";
        status?: "open" | "done";
        assignee?: string;
        label?: string;
        unread?: boolean;
        type?: string;
        with?: string;
        segment?: string;
        failed_schema?: boolean;
        since?: string;
        until?: string;
        document_state?: "requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected";
        number?: string;
        due_after?: string;
        due_before?: string;
        total_min?: string;
        total_max?: string;
        sort?: "updated" | "due_date" | "total" | "number";
        order?: "asc" | "desc";
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Thread"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getThreadsCounts: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            open: components["schemas"]["ThreadCount"];
            mine: components["schemas"]["ThreadCount"];
            unassigned: components["schemas"]["ThreadCount"];
            unread: components["schemas"]["ThreadCount"];
            failed_schema: components["schemas"]["ThreadCount"];
            done: components["schemas"]["ThreadCount"];
            sent: components["schemas"]["ThreadCount"];
            all: components["schemas"]["ThreadCount"];
          };
        };
      };
    };
  };
  getThreadsLabels: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: {
                label: string;
              }[];
          };
        };
      };
    };
  };
  getThreadsAssignees: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Colleague"][];
          };
        };
      };
    };
  };
  postThreadsBatch: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids: string[];
          /** @enum {string} */
          status?: "open" | "done";
          assignee?: string | null;
          labels?: string[];
          add_labels?: string[];
          remove_labels?: string[];
          unread?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            changed: number;
          };
        };
      };
    };
  };
  getThreadsId: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        include?: "summary";
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            thread_id: string;
            data: (components["schemas"]["Envelope"] | components["schemas"]["EnvelopeSummary"])[];
            next_cursor: string | null;
            hidden: number;
            state: components["schemas"]["ThreadState"];
          };
        };
      };
    };
  };
  patchThreadsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          status?: "open" | "done";
          assignee?: string | null;
          labels?: string[];
          add_labels?: string[];
          remove_labels?: string[];
          unread?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["ThreadState"];
        };
      };
    };
  };
  postThreadsIdRead: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          unread?: boolean;
        };
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getThreadsIdComments: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Comment"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postThreadsIdComments: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          text: string;
          mentions?: string[];
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Comment"];
        };
      };
    };
  };
  getViews: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["View"][];
          };
        };
      };
    };
  };
  postViews: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          name: string;
          filter: {
            /** @enum {string} */
            box?: "in" | "out";
            /** @enum {string} */
            status?: "open" | "done";
            assignee?: string;
            label?: string;
            unread?: boolean;
            type?: string;
            with?: string;
            segment?: string;
            failed_schema?: boolean;
            since?: string;
            until?: string;
            /** @enum {string} */
            document_state?: "requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected";
            number?: string;
            due_after?: string;
            due_before?: string;
            total_min?: string;
            total_max?: string;
            /** @enum {string} */
            sort?: "updated" | "due_date" | "total" | "number";
            /** @enum {string} */
            order?: "asc" | "desc";
          };
          shared?: boolean;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["View"];
        };
      };
    };
  };
  deleteViewsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  patchViewsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          name?: string;
          filter?: {
            /** @enum {string} */
            box?: "in" | "out";
            /** @enum {string} */
            status?: "open" | "done";
            assignee?: string;
            label?: string;
            unread?: boolean;
            type?: string;
            with?: string;
            segment?: string;
            failed_schema?: boolean;
            since?: string;
            until?: string;
            /** @enum {string} */
            document_state?: "requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected";
            number?: string;
            due_after?: string;
            due_before?: string;
            total_min?: string;
            total_max?: string;
            /** @enum {string} */
            sort?: "updated" | "due_date" | "total" | "number";
            /** @enum {string} */
            order?: "asc" | "desc";
          };
          shared?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["View"];
        };
      };
    };
  };
  putViewsIdDigest: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          frequency: "hourly" | "daily" | "never";
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["View"];
        };
      };
    };
  };
  getNotifications: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        unread?: boolean;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Notification"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postNotificationsRead: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids?: string[];
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            read: number;
          };
        };
      };
    };
  };
  getSearch: {
    parameters: {
      query: {
        q: string;
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["SearchResult"][];
            next_cursor: string | null;
            complete: boolean;
          };
        };
      };
    };
  };
  getExport: {
    parameters: {
      query?: {
        list?: "inbox" | "outbox" | "threads";
        format?: "ndjson" | "csv";
        include?: "summary";
        box?: "in" | "out";
        status?: "open" | "done";
        assignee?: string;
        label?: string;
        unread?: boolean;
        type?: string;
        with?: string;
        segment?: string;
        failed_schema?: boolean;
        since?: string;
        until?: string;
        document_state?: "requested" | "quoted" | "ordered" | "changed" | "confirmed" | "despatched" | "received" | "invoiced" | "disputed" | "credited" | "paid" | "rejected";
        number?: string;
        due_after?: string;
        due_before?: string;
        total_min?: string;
        total_max?: string;
        sort?: "updated" | "due_date" | "total" | "number";
        order?: "asc" | "desc";
        from?: string;
        to?: string;
        validation?: "passed" | "failed" | "not_applicable";
        thread?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/x-ndjson": string;
        };
      };
    };
  };
  getEvents: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  postUploads: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          filename: string;
          content_type: string;
          size_bytes: number;
          parts?: boolean;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Upload"] | components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  getUploadsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WholeUpload"] | components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  postUploadsIdParts: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          numbers: number[];
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartTickets"];
        };
      };
    };
  };
  postUploadsIdComplete: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  getFilesId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Download"];
        };
      };
    };
  };
  getWebhooks: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Webhook"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postWebhooks: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          url: string;
          target?: string | null;
          description?: string | null;
          active?: boolean;
          types?: string[] | null;
          max_per_second?: number | null;
          ordered?: boolean;
          events?: ("message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired")[];
          signatures?: ("hmac" | "ed25519")[];
          client_certificate?: boolean;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["CreatedWebhook"];
        };
      };
    };
  };
  getWebhooksId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  deleteWebhooksId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  patchWebhooksId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          url?: string;
          target?: string | null;
          description?: string | null;
          active?: boolean;
          types?: string[] | null;
          max_per_second?: number | null;
          ordered?: boolean;
          events?: ("message.received" | "message.sent" | "schema.failed" | "thread.updated" | "webhook.paused" | "file.hashed" | "message.acknowledged" | "message.expired")[];
          signatures?: ("hmac" | "ed25519")[];
          client_certificate?: boolean;
          recover?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Webhook"];
        };
      };
    };
  };
  postWebhooksIdRotateSecret: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          grace_s: number;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            secret: string;
            public_key: string | null;
            previous_valid_until: string | null;
          };
        };
      };
    };
  };
  postWebhooksIdRecover: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          since: string;
          until?: string;
          /** @enum {string} */
          only?: "failed" | "missing" | "undelivered" | "all";
        };
      };
    };
    responses: {
      202: {
        content: {
          "application/json": components["schemas"]["Recovery"];
        };
      };
    };
  };
  getWebhooksIdRecoveries: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Recovery"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getWebhooksIdRecoveriesRecoveryId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
        recovery_id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Recovery"];
        };
      };
    };
  };
  patchWebhooksIdRecoveriesRecoveryId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
        recovery_id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          state: "running" | "paused" | "cancelled";
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Recovery"];
        };
      };
    };
  };
  postWebhooksIdTest: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      202: {
        content: {
          "application/json": {
            /** @constant */
            queued: true;
            job_id: string;
          };
        };
      };
    };
  };
  getWebhooksIdDeliveries: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Delivery"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getWebhooksIdMessages: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        state?: "pending" | "delivered" | "retrying" | "dropped" | "failed";
        message?: string;
        since?: string;
        until?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["WebhookMessage"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getWebhooksIdMessagesMessageId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
        message_id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookDelivery"];
        };
      };
    };
  };
  getWebhooksIdStatistics: {
    parameters: {
      query?: {
        period?: "24h" | "7d" | "30d";
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WebhookStatistics"];
        };
      };
    };
  };
  getConsumers: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Consumer"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getConsumersName: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Consumer"];
        };
      };
    };
  };
  putConsumersName: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          filter?: {
            types?: string[];
            target?: string;
            /** @enum {string} */
            validation?: "passed" | "failed" | "not_applicable";
          };
          start?: string;
          ordered?: boolean;
          max_tries?: number;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Consumer"];
        };
      };
    };
  };
  deleteConsumersName: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  postConsumersNameLease: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          limit?: number;
          lease_s?: number;
          wait_s?: number;
          holder?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["LeasedMessage"][];
          };
        };
      };
    };
  };
  postConsumersNameAck: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids?: string[];
          through?: string;
          holder?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            acknowledged: number;
            unknown: string[];
          };
        };
      };
    };
  };
  postConsumersNameExtend: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids: string[];
          lease_s?: number;
          holder?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            extended: number;
            unknown: string[];
            lease_until: string;
          };
        };
      };
    };
  };
  postConsumersNameRelease: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids: string[];
          delay_s?: number;
          reason?: string;
          holder?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            released: number;
            unknown: string[];
          };
        };
      };
    };
  };
  postConsumersNameSeek: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          position: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Consumer"];
        };
      };
    };
  };
  getConsumersNameParked: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["ParkedMessage"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postConsumersNameUnpark: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        name: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          ids: string[];
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            unparked: number;
            unknown: string[];
          };
        };
      };
    };
  };
  getBlocks: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Block"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postBlocks: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          user_id?: string | null;
          email_domain?: string | null;
          handle?: string | null;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Block"];
        };
      };
    };
  };
  deleteBlocksId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getContacts: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
        q?: string;
        sort?: "added" | "activity" | "name";
        saved?: boolean;
        archived?: boolean;
        type?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Contact"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postContacts: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          handle?: string;
          domain?: string;
          email?: string;
          label?: string;
          notes?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contact"];
        };
      };
    };
  };
  getContactsByParty: {
    parameters: {
      query?: {
        handle?: string;
        domain?: string;
        email?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contact"];
        };
      };
    };
  };
  getContactsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contact"];
        };
      };
    };
  };
  patchContactsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          label?: string;
          notes?: string;
          archived?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Contact"];
        };
      };
    };
  };
  getInboxSchema: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InboxSchema"];
        };
      };
    };
  };
  putInboxSchema: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          schema: unknown;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InboxSchema"];
        };
      };
    };
  };
  patchInboxSchema: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          published: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["InboxSchema"];
        };
      };
    };
  };
  postInboxSchemaCheck: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          schema?: unknown;
          json?: unknown;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SchemaCheck"];
        };
      };
    };
  };
  getInboxSchemas: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["TypeSchemaHead"][];
          };
        };
      };
    };
  };
  getInboxSchemasType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TypeSchema"];
        };
      };
    };
  };
  putInboxSchemasType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          schema?: unknown;
          schema_of?: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TypeSchema"];
        };
      };
    };
  };
  deleteInboxSchemasType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  patchInboxSchemasType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          published: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["TypeSchema"];
        };
      };
    };
  };
  postSchemaCheck: {
    parameters: {
      query: {
        to: string;
        type?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          json: unknown;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["RecipientCheck"];
        };
      };
    };
  };
  getDocumentTypes: {
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["DocumentTypeHead"][];
          };
        };
      };
    };
  };
  getDocumentTypesType: {
    parameters: {
      path: {
        type: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DocumentType"];
        };
      };
    };
  };
  putDocumentTypesType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          title: string;
          description?: string;
          schema: {
            [key: string]: unknown;
          };
          layout?: {
            number?: string;
            currency?: string;
            parties?: string[];
            facts?: ({
                path: string;
                /** @enum {string} */
                format?: "money" | "quantity" | "percent";
              })[];
            lines?: {
              path: string;
              columns: ({
                  path: string;
                  /** @enum {string} */
                  format?: "money" | "quantity" | "percent";
                })[];
              details?: ({
                  path: string;
                  /** @enum {string} */
                  format?: "money" | "quantity" | "percent";
                })[];
            };
            tables?: ({
                path: string;
                columns: ({
                    path: string;
                    /** @enum {string} */
                    format?: "money" | "quantity" | "percent";
                  })[];
                details?: ({
                    path: string;
                    /** @enum {string} */
                    format?: "money" | "quantity" | "percent";
                  })[];
              })[];
            totals?: ({
                path: string;
                /** @enum {string} */
                format?: "money" | "quantity" | "percent";
              })[];
            terms?: ({
                path: string;
                /** @enum {string} */
                format?: "money" | "quantity" | "percent";
              })[];
            notes?: string[];
          };
          published?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["OwnDocumentType"];
        };
      };
    };
  };
  deleteDocumentTypesType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  postDocumentTypesTypeCheck: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          json: unknown;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DocumentCheck"];
        };
      };
    };
  };
  getBusinessDocumentTypes: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["OwnDocumentTypeHead"][];
          };
        };
      };
    };
  };
  getBusinessDocumentTypesType: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        type: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["OwnDocumentType"];
        };
      };
    };
  };
  getAgents: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Agent"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postAgents: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          name: string;
          description?: string | null;
          segment?: string | null;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  getAgentsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  patchAgentsId: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          name?: string;
          description?: string | null;
          segment?: string | null;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  getHandles: {
    parameters: {
      query: {
        limit?: number;
        cursor?: string;
        q: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: {
                handle: string;
                display_name: string;
              }[];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  getPublicHandle: {
    parameters: {
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PublicProfile"];
        };
      };
    };
  };
  getPublicHandleSchema: {
    parameters: {
      query?: {
        type?: string;
      };
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PublishedSchema"];
        };
      };
    };
  };
  getPublicHandleDocumentTypes: {
    parameters: {
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["PublishedDocumentTypeHead"][];
          };
        };
      };
    };
  };
  getPublicHandleDocumentTypesType: {
    parameters: {
      path: {
        handle: string;
        type: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PublishedDocumentType"];
        };
      };
    };
  };
  getPublicHandleDropPage: {
    parameters: {
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DropPage"];
        };
      };
    };
  };
  getPublicHandleLogo: {
    parameters: {
      query?: {
        v?: string;
      };
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "image/png": string;
        };
      };
    };
  };
  getSignIn: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["SignIn"];
        };
      };
    };
  };
  getAccount: {
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  patchAccount: {
    requestBody: {
      content: {
        "application/json": {
          name?: string;
          /** @enum {string} */
          notification_mail?: "at_once" | "hourly" | "daily" | "never";
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  getAccountSessions: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Session"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  deleteAccountSessions: {
    responses: {
      204: {
        content: never;
      };
    };
  };
  deleteAccountSessionsId: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  postDrops: {
    parameters: {
      header?: {
        "Idempotency-Key"?: string;
        "Content-Digest"?: string;
        "Signature-Input"?: string;
        Signature?: string;
        "Waybill-Recipient"?: string;
        "Waybill-Files"?: string;
      };
    };
    requestBody: {
      content: {
        /**
         * @example {
         *   "to": "globex/orders",
         *   "type": "order",
         *   "subject": "Order 4711",
         *   "note": "Please confirm.",
         *   "expires_in": 60,
         *   "acknowledge": {
         *     "status": "accepted",
         *     "reason": "timed out"
         *   },
         *   "json": {
         *     "items": [
         *       {
         *         "sku": "A-1",
         *         "quantity": 3
         *       }
         *     ]
         *   }
         * }
         */
        "application/json": components["schemas"]["SendRequest"];
        "multipart/form-data": components["schemas"]["SendRequestForm"];
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Envelope"];
        };
      };
    };
  };
  getDropsHandle: {
    parameters: {
      path: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Door"];
        };
      };
    };
  };
  postDropsUploads: {
    requestBody: {
      content: {
        "application/json": {
          filename: string;
          content_type: string;
          size_bytes: number;
          parts?: boolean;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Upload"] | components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  getDropsUploadsId: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["WholeUpload"] | components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  postDropsUploadsIdParts: {
    parameters: {
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          numbers: number[];
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartTickets"];
        };
      };
    };
  };
  postDropsUploadsIdComplete: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["PartedUpload"];
        };
      };
    };
  };
  getMe: {
    parameters: {
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Me"];
        };
      };
    };
  };
  getUsage: {
    parameters: {
      query?: {
        days?: number;
      };
      header?: {
        "Waybill-Business"?: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Usage"];
        };
      };
    };
  };
  postBusinesses: {
    requestBody: {
      content: {
        "application/json": {
          handle: string;
          display_name: string;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Business"];
        };
      };
    };
  };
  getBusinessesAvailability: {
    parameters: {
      query: {
        handle: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Availability"];
        };
      };
    };
  };
  getBusiness: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Business"];
        };
      };
    };
  };
  patchBusiness: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          display_name?: string;
          accepting_drops?: boolean;
          /** @enum {string} */
          receipts?: "full" | "minimal";
          agent_card?: boolean;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Business"];
        };
      };
    };
  };
  getBusinessDropPage: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DropPage"];
        };
      };
    };
  };
  patchBusinessDropPage: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          welcome?: string;
          accent?: string | null;
          logo?: string | null;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DropPage"];
        };
      };
    };
  };
  getMembers: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header: {
        "Waybill-Business": string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Member"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  deleteMembersId: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  patchMembersId: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          role?: "owner" | "admin" | "member";
          segment?: string | null;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Member"];
        };
      };
    };
  };
  getInvitations: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Invitation"][];
          };
        };
      };
    };
  };
  postInvitations: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          email: string;
          /** @enum {string} */
          role: "owner" | "admin" | "member";
          segment?: string | null;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Invitation"];
        };
      };
    };
  };
  deleteInvitationsId: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getAccountInvitationsToken: {
    parameters: {
      path: {
        token: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            business: components["schemas"]["Business"];
            invited_by: string;
            email: string;
            /** @enum {string} */
            role: "owner" | "admin" | "member";
            expires_at: string;
          };
        };
      };
    };
  };
  postAccountInvitationsToken: {
    parameters: {
      path: {
        token: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Business"];
        };
      };
    };
  };
  postDeviceLogins: {
    requestBody: {
      content: {
        "application/json": {
          name: string;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": {
            device_code: string;
            user_code: string;
            verification_url: string;
            expires_in_s: number;
            interval_s: number;
          };
        };
      };
    };
  };
  postDeviceLoginsKey: {
    requestBody: {
      content: {
        "application/json": {
          device_code: string;
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            key: string;
            key_id: string;
            /** @enum {string} */
            scope: "read" | "read_write";
            handle: string;
            display_name: string;
            agent_id: string;
          };
        };
      };
    };
  };
  getDeviceLoginsCode: {
    parameters: {
      path: {
        code: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            name: string;
            created_at: string;
            expires_at: string;
          };
        };
      };
    };
  };
  postDeviceLoginsCode: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        code: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          agent_id: string;
          /** @enum {string} */
          scope: "read" | "read_write";
        };
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  deleteDeviceLoginsCode: {
    parameters: {
      path: {
        code: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getAgentsIdKeys: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Key"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postAgentsIdKeys: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          scope: "read" | "read_write";
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": {
            id: string;
            /** @enum {string} */
            scope: "read" | "read_write";
            secret: string;
          };
        };
      };
    };
  };
  deleteKeysId: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getAgentsIdSigningKeys: {
    parameters: {
      query?: {
        limit?: number;
        cursor?: string;
      };
      header?: {
        "Waybill-Business"?: string;
      };
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["SigningKey"][];
            next_cursor: string | null;
          };
        };
      };
    };
  };
  postAgentsIdSigningKeys: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          public_key: string;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["SigningKey"];
        };
      };
    };
  };
  deleteAgentsIdSigningKeysKeyId: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        id: string;
        key_id: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  getDomains: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": {
            data: components["schemas"]["Domain"][];
          };
        };
      };
    };
  };
  postDomains: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          domain: string;
        };
      };
    };
    responses: {
      201: {
        content: {
          "application/json": components["schemas"]["Domain"];
        };
      };
    };
  };
  postDomainsDomainCheck: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        domain: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Domain"];
        };
      };
    };
  };
  deleteDomainsDomain: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        domain: string;
      };
    };
    responses: {
      204: {
        content: never;
      };
    };
  };
  patchDomainsDomain: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        domain: string;
      };
    };
    requestBody: {
      content: {
        "application/json": {
          /** @enum {string} */
          senders: "everybody" | "members";
        };
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["Domain"];
        };
      };
    };
  };
  getDomainsDomainKeys: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        domain: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DomainKeys"];
        };
      };
    };
  };
  postDomainsDomainKeysCheck: {
    parameters: {
      header: {
        "Waybill-Business": string;
      };
      path: {
        domain: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/json": components["schemas"]["DomainKeys"];
        };
      };
    };
  };
  getObjectsId: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
    };
  };
  putObjectsId: {
    parameters: {
      path: {
        id: string;
      };
    };
    responses: {
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
}

export type Error = components['schemas']['Error'];
export type Party = components['schemas']['Party'];
export type Actor = components['schemas']['Actor'];
export type File = components['schemas']['File'];
export type Validation = components['schemas']['Validation'];
export type SentEnvelope = components['schemas']['SentEnvelope'];
export type SendRequest = components['schemas']['SendRequest'];
export type SendRequestForm = components['schemas']['SendRequestForm'];
export type EnvelopeSummary = components['schemas']['EnvelopeSummary'];
export type BatchOutcome = components['schemas']['BatchOutcome'];
export type BatchMessage = components['schemas']['BatchMessage'];
export type BatchRequest = components['schemas']['BatchRequest'];
export type Envelope = components['schemas']['Envelope'];
export type Proof = components['schemas']['Proof'];
export type PendingProof = components['schemas']['PendingProof'];
export type SigningKey = components['schemas']['SigningKey'];
export type Signature = components['schemas']['Signature'];
export type Acknowledgement = components['schemas']['Acknowledgement'];
export type AcknowledgementRequest = components['schemas']['AcknowledgementRequest'];
export type HandOver = components['schemas']['HandOver'];
export type NonDelivery = components['schemas']['NonDelivery'];
export type ReceiptFile = components['schemas']['ReceiptFile'];
export type Receipt = components['schemas']['Receipt'];
export type MinimalReceipt = components['schemas']['MinimalReceipt'];
export type AnyReceipt = components['schemas']['AnyReceipt'];
export type ReceiptSignature = components['schemas']['ReceiptSignature'];
export type Colleague = components['schemas']['Colleague'];
export type ThreadDocument = components['schemas']['ThreadDocument'];
export type Thread = components['schemas']['Thread'];
export type ThreadCount = components['schemas']['ThreadCount'];
export type ThreadState = components['schemas']['ThreadState'];
export type Comment = components['schemas']['Comment'];
export type View = components['schemas']['View'];
export type Notification = components['schemas']['Notification'];
export type SearchMatch = components['schemas']['SearchMatch'];
export type SearchResult = components['schemas']['SearchResult'];
export type Upload = components['schemas']['Upload'];
export type PartedUpload = components['schemas']['PartedUpload'];
export type WholeUpload = components['schemas']['WholeUpload'];
export type PartTickets = components['schemas']['PartTickets'];
export type Download = components['schemas']['Download'];
export type Webhook = components['schemas']['Webhook'];
export type CreatedWebhook = components['schemas']['CreatedWebhook'];
export type Recovery = components['schemas']['Recovery'];
export type Delivery = components['schemas']['Delivery'];
export type WebhookMessage = components['schemas']['WebhookMessage'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookStatistics = components['schemas']['WebhookStatistics'];
export type Consumer = components['schemas']['Consumer'];
export type LeasedMessage = components['schemas']['LeasedMessage'];
export type ParkedMessage = components['schemas']['ParkedMessage'];
export type Block = components['schemas']['Block'];
export type Contact = components['schemas']['Contact'];
export type InboxSchema = components['schemas']['InboxSchema'];
export type SchemaCheck = components['schemas']['SchemaCheck'];
export type TypeSchemaHead = components['schemas']['TypeSchemaHead'];
export type TypeSchema = components['schemas']['TypeSchema'];
export type RecipientCheck = components['schemas']['RecipientCheck'];
export type DocumentTypeHead = components['schemas']['DocumentTypeHead'];
export type DocumentLayout = components['schemas']['DocumentLayout'];
export type DocumentType = components['schemas']['DocumentType'];
export type OwnDocumentType = components['schemas']['OwnDocumentType'];
export type DocumentCheck = components['schemas']['DocumentCheck'];
export type OwnDocumentTypeHead = components['schemas']['OwnDocumentTypeHead'];
export type Agent = components['schemas']['Agent'];
export type PublicProfile = components['schemas']['PublicProfile'];
export type PublishedSchema = components['schemas']['PublishedSchema'];
export type PublishedDocumentTypeHead = components['schemas']['PublishedDocumentTypeHead'];
export type PublishedDocumentType = components['schemas']['PublishedDocumentType'];
export type DropPage = components['schemas']['DropPage'];
export type SignIn = components['schemas']['SignIn'];
export type Account = components['schemas']['Account'];
export type Session = components['schemas']['Session'];
export type Door = components['schemas']['Door'];
export type Me = components['schemas']['Me'];
export type Usage = components['schemas']['Usage'];
export type Business = components['schemas']['Business'];
export type Availability = components['schemas']['Availability'];
export type Member = components['schemas']['Member'];
export type Invitation = components['schemas']['Invitation'];
export type Key = components['schemas']['Key'];
export type Domain = components['schemas']['Domain'];
export type DomainKeys = components['schemas']['DomainKeys'];
export type UpdatedThread = components['schemas']['UpdatedThread'];
export type AcknowledgedMessage = components['schemas']['AcknowledgedMessage'];
/** @deprecated Use SendRequest. */
export type Draft = SendRequest;
/** @deprecated Use SendRequestForm. */
export type DraftForm = SendRequestForm;
/** @deprecated Use Colleague. */
export type Worker = Colleague;
