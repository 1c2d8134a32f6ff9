/**
 * The proof that a browser's answer about a passkey gives (Web Authentication level 3, sections 7.1
 * and 7.2, with the attestation `none`). Pure; every member of an answer is hostile. Without an
 * attestation nothing about a new key is signed, so the key is taken from the browser's own reading
 * of it, and CBOR is not parsed: the first sign-in shows who has its private half.
 */
import { createHash } from "node:crypto";
import type {
  CreatedCredential,
  PresentedCredential,
} from "@tollgate/contract/accounts/passkeys.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import type { RelyingParty } from "../../../http/relying-party.ts";
import { type AuthenticatorData, readAuthenticatorData } from "./authenticator-data.ts";
import { isSignedBy, readPasskeyKey } from "./passkey-key.ts";

/** `PasskeyFlaw` says why an answer proves nothing. For tests and logs: a visitor is not told. */
export type PasskeyFlaw =
  | "client_data"
  | "ceremony"
  | "challenge"
  | "origin"
  | "authenticator_data"
  | "relying_party"
  | "user_presence"
  | "user_verification"
  | "backup_state"
  | "credential_id"
  | "key"
  | "user_handle"
  | "signature";

export interface NewPasskey {
  credentialId: string;
  /** SubjectPublicKeyInfo in DER, as base64url. */
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
}

export interface KnownPasskey {
  credential_id: string;
  public_key: string;
  user_handle: string;
}

const decodeBytes = (text: string): Buffer => Buffer.from(text, "base64url");
/** `formatCanonical` is about several spellings of the same bytes the one that is stored. */
export const formatCanonical = (text: string): string => decodeBytes(text).toString("base64url");
const hashSha256 = (data: Buffer | string): Buffer => createHash("sha256").update(data).digest();

interface ClientData {
  type: unknown;
  challenge: string;
  origin: unknown;
  crossOrigin: unknown;
}

function readClientData(encoded: string): ClientData | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(decodeBytes(encoded)));
  } catch {
    return undefined;
  }
  if (!isJsonRecord(value) || typeof value.challenge !== "string") return;
  const { type, challenge, origin, crossOrigin } = value;
  return { type, challenge, origin, crossOrigin };
}

/** The challenge that an answer says it is for; it is trusted once a stored one equals it. */
export const readChallenge = (clientDataJSON: string): string | undefined =>
  readClientData(clientDataJSON)?.challenge;

interface Ceremony {
  type: "webauthn.create" | "webauthn.get";
  challenge: string;
  party: RelyingParty;
}

interface AnswerParts {
  clientDataJSON: string;
  authenticatorData: string;
}

/** `readAnswer` checks the members that both kinds of answers must show. */
function readAnswer(
  answer: AnswerParts,
  { type, challenge, party }: Ceremony,
): AuthenticatorData | PasskeyFlaw {
  const client = readClientData(answer.clientDataJSON);
  if (!client) return "client_data";
  if (client.type !== type) return "ceremony";
  if (client.challenge !== challenge) return "challenge";
  // A frame on another site is not our page, whatever origin the frame has.
  if (client.origin !== party.origin || (client.crossOrigin ?? false) !== false) return "origin";
  const data = readAuthenticatorData(decodeBytes(answer.authenticatorData));
  if (!data) return "authenticator_data";
  if (!data.rpIdHash.equals(hashSha256(party.id))) return "relying_party";
  if (!data.isUserPresent) return "user_presence";
  if (!data.isUserVerified) return "user_verification";
  if (data.isBackedUp && !data.isBackupEligible) return "backup_state";
  return data;
}

export function verifyCreated(
  { id, response }: CreatedCredential,
  ceremony: Omit<Ceremony, "type">,
): NewPasskey | PasskeyFlaw {
  const data = readAnswer(response, { ...ceremony, type: "webauthn.create" });
  if (typeof data === "string") return data;
  if (!data.credentialId?.equals(decodeBytes(id))) return "credential_id";
  const key = readPasskeyKey(decodeBytes(response.publicKey));
  if (!key) return "key";
  return {
    credentialId: data.credentialId.toString("base64url"),
    publicKey: key.export({ format: "der", type: "spki" }).toString("base64url"),
    counter: data.counter,
    isBackedUp: data.isBackedUp,
  };
}

export function verifyPresented(
  { id, response }: PresentedCredential,
  passkey: KnownPasskey,
  ceremony: Omit<Ceremony, "type">,
): Pick<NewPasskey, "counter" | "isBackedUp"> | PasskeyFlaw {
  const data = readAnswer(response, { ...ceremony, type: "webauthn.get" });
  if (typeof data === "string") return data;
  if (formatCanonical(id) !== passkey.credential_id) return "credential_id";
  if (formatCanonical(response.userHandle) !== passkey.user_handle) return "user_handle";
  const key = readPasskeyKey(decodeBytes(passkey.public_key));
  if (!key) return "key";
  const signed = Buffer.concat([
    decodeBytes(response.authenticatorData),
    hashSha256(decodeBytes(response.clientDataJSON)),
  ]);
  if (!isSignedBy(key, signed, decodeBytes(response.signature))) return "signature";
  return { counter: data.counter, isBackedUp: data.isBackedUp };
}
