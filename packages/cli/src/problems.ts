export class UsageError extends Error {}

export class CheckFailed extends Error {}

/** Nothing is wrong, and nothing is decided yet. */
export class TryAgain extends Error {}

/** The proof is consistent, but nobody whom the caller trusts vouches for it. */
export class NoTrustedKey extends Error {}

/** The message of whatever was thrown, for a sentence that names the file or option. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
