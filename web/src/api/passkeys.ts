import { auth, pageError } from './client.ts';

/** A passkey as listed by /auth, which is not in the OpenAPI document. */
export interface Passkey {
  id: string;
  name: string | null;
  createdAt: string;
}

export const canUsePasskeys = (): boolean => 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential;

export const listPasskeys = (): Promise<Passkey[]> => auth('GET', 'passkey/list-user-passkeys');

export async function signInWithPasskey(): Promise<void> {
  const options = await auth<PublicKeyCredentialRequestOptionsJSON>('GET', 'passkey/generate-authenticate-options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const response = await credentialFrom(() => navigator.credentials.get({ publicKey }));
  await auth('POST', 'passkey/verify-authentication', { response });
}

export async function addPasskey(name: string): Promise<void> {
  const options = await auth<PublicKeyCredentialCreationOptionsJSON>('GET', 'passkey/generate-register-options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = await credentialFrom(() => navigator.credentials.create({ publicKey }));
  await auth('POST', 'passkey/verify-registration', { response, name });
}

/** Browsers don't say whether the person cancelled, waited too long or has no passkey. */
async function credentialFrom(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    const message = isKnown
      ? 'This device already has a passkey for your account.'
      : 'Passkey cancelled or not found. Try again, or sign in another way.';
    throw pageError(message);
  }
}
