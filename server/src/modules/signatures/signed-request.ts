/** A request whose signature has been checked, with everything needed to check it again. */
export interface SignedRequest {
  keyId: string;
  signatureInput: string;
  signature: Buffer;
  components: string;
  body: Buffer;
}

/** The signature of a message request. It keeps the body around `json`, because the message has `json` itself. */
export interface MessageSignature extends Omit<SignedRequest, 'body'> {
  bodyBefore: Buffer;
  bodyAfter: Buffer;
}
