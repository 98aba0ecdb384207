/** Signing is impossible, or could show somebody a history that contradicts the published one. The message says what an operator can do. */
export class LogFault extends Error {}
