/** A request whose signature has been checked, with all that somebody needs to check it again. */
export interface SignedRequest {
  /** The uuid of the signing key. */
  keyId: string;
  /** The value of `@signature-params`. */
  signatureInput: string;
  signature: Buffer;
  /** The values of the components that are covered, as a JSON object. */
  components: string;
  body: Buffer;
}

/** The signature of a message request. Of its body, what is around `json`, which the message has. */
export interface MessageSignature extends Omit<SignedRequest, 'body'> {
  bodyBefore: Buffer;
  bodyAfter: Buffer;
}
