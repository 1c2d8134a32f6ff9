/** The browser's part in passkeys: it makes and presents them, for the host of this page alone. */
import {
  beginPasskeyProof,
  beginPasskeyRegistration,
  finishPasskeyProof,
  finishPasskeyRegistration,
  type PresentedCredential,
} from "@tollgate/contract/accounts/passkeys.ts";
import { type ApiInput, call } from "../../api-call.ts";

/**
 * The user closed the browser's dialog, or the browser found no passkey. The browser does not say
 * which.
 */
export const isPasskeyRefusal = (error: unknown): boolean =>
  error instanceof DOMException && error.name === "NotAllowedError";

export async function presentPasskey(
  publicKey: PublicKeyCredentialRequestOptionsJSON,
  how: Pick<CredentialRequestOptions, "mediation" | "signal"> = {},
): Promise<PresentedCredential> {
  const options = PublicKeyCredential.parseRequestOptionsFromJSON(publicKey);
  const credential = await navigator.credentials.get({ publicKey: options, ...how });
  return (credential as PublicKeyCredential).toJSON() as PresentedCredential;
}

/** Afterwards calls that ask for recent proof pass. */
export async function proveByPasskey(): Promise<void> {
  const { data } = await call(beginPasskeyProof);
  await call(finishPasskeyProof, { body: await presentPasskey(data.publicKey) });
}

type PasskeyReauth = ApiInput<typeof beginPasskeyRegistration>["body"];

/** `begin` makes the first call, which may ask for recent proof. */
export async function createPasskey(
  name: string,
  begin: (
    run: (credentials?: PasskeyReauth) => Promise<PublicKeyCredentialCreationOptionsJSON>,
  ) => Promise<PublicKeyCredentialCreationOptionsJSON>,
): Promise<void> {
  const options = await begin(
    async (credentials) =>
      (await call(beginPasskeyRegistration, { body: { ...credentials } })).data.publicKey,
  );
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const body = made.toJSON() as ApiInput<typeof finishPasskeyRegistration>["body"];
  await call(finishPasskeyRegistration, { query: { name }, body });
}
