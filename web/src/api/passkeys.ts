import { ApiError, auth } from './client.ts';

/** As the service lists them; below /auth, whose answers the API's description leaves out. */
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
  const response = await asked(() => navigator.credentials.get({ publicKey }));
  await auth('POST', 'passkey/verify-authentication', { response });
}

export async function addPasskey(name: string): Promise<void> {
  const options = await auth<PublicKeyCredentialCreationOptionsJSON>('GET', 'passkey/generate-register-options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const response = await asked(() => navigator.credentials.create({ publicKey }));
  await auth('POST', 'passkey/verify-registration', { response, name });
}

/** Browsers don't tell whether somebody said no, waited too long, or has no passkey for us. */
async function asked(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    return ((await ask()) as PublicKeyCredential).toJSON();
  } catch (error) {
    const isKnown = error instanceof DOMException && error.name === 'InvalidStateError';
    const message = isKnown
      ? 'This device has a passkey of yours already.'
      : 'Your browser gave no passkey. Try again, or use another way.';
    throw new ApiError(0, { message }, null);
  }
}
