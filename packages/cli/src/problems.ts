export class UsageError extends Error {}

/** The command worked, and the result of the check is no. */
export class CheckFailed extends Error {}

/** Nothing is wrong, but nobody whom the caller trusts vouches for it. */
export class NoTrustedKey extends Error {}
