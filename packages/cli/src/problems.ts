export class UsageError extends Error {}

export class CheckFailed extends Error {}

/** The proof is consistent, but nobody whom the caller trusts vouches for it. */
export class NoTrustedKey extends Error {}
