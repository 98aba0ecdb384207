/** Signing is not possible, or could show somebody another history than others have seen. The message says what an operator can do. */
export class LogFault extends Error {}
