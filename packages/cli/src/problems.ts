/** A mistake in the command line, or in what it names. */
export class UsageError extends Error {}

/** What was to be checked is not so: the command worked, and its result is no. */
export class CheckFailed extends Error {}

/** Nothing that was checked is wrong, but nobody whom the caller trusts vouches for it. */
export class NoTrustedKey extends Error {}
