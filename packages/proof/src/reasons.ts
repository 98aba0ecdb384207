/**
 * Why something does not hold, for programs. verify.py has the same codes, and docs/proof/vectors/forgeries has files for them. A code never gets another
 * meaning.
 */
export type Reason =
  // Any part
  | 'malformed'
  | 'not-in-the-log'
  | 'unknown-log'
  | 'wrong-signature'
  | 'signed-twice'
  | 'too-few-witnesses'
  | 'weak-key'
  // The log
  | 'another-log'
  | 'broken-succession'
  | 'two-histories'
  // Contents
  | 'another-json'
  | 'ambiguous-json'
  | 'another-file'
  // Signed requests
  | 'key-of-somebody-else'
  | 'key-not-registered'
  | 'key-after-signature'
  | 'revoked-before'
  | 'another-revocation'
  | 'another-key-id'
  | 'covers-too-little'
  | 'other-components'
  | 'another-time'
  | 'another-request'
  | 'another-body'
  | 'another-service'
  | 'another-recipient'
  | 'other-files'
  | 'another-content'
  | 'another-number'
  // Keys that the caller gives, or a domain vouches for
  | 'another-key'
  | 'not-signed'
  | 'changed-key'
  | 'another-domain-key'
  // Hand-overs, acknowledgements and non-delivery
  | 'another-message'
  | 'not-the-recipient'
  | 'unknown-status'
  | 'status-order'
  | 'after-the-end'
  | 'chain-gap'
  | 'chain-repeat'
  | 'chain-broken'
  | 'chain-order'
  | 'chain-time'
  | 'dated-after-proof'
  | 'expired-early'
  | 'expired-after-delivery'
  // Promises
  | 'broken-log'
  | 'broken-promise'
  // Time
  | 'another-checkpoint'
  | 'before-the-message'
  | 'received-after-proof'
  | 'revoked-authority'
  | 'another-token'
  | 'renewal-too-early'
  | 'renewal-too-late';
