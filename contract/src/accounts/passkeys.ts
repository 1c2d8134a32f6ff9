/**
 * Passkeys (W3C Web Authentication): sign-in and recent proof by a key pair whose private half
 * never leaves the user's device.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { byId } from "../api/ids.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";
import { user } from "./users.ts";

export const passkeysPerUserMax = 20;
const passkeyNameMax = 128;

/** Bytes as base64url without padding, as `toJSON()` of the browser writes them. */
const defineBase64url = (max: number) =>
  z
    .string()
    .check(
      z.regex(/^[A-Za-z0-9_-]+$/, makeAboutField("must be base64url")),
      z.maxLength(max, makeAboutField(`must have at most ${max} characters`)),
    );

/** The standard bounds a credential id by 1,023 bytes. */
const credentialId = defineBase64url(1_364);
/** A few hundred bytes; browsers may add members. */
const clientData = defineBase64url(8_000);
/** 37 bytes, with a new credential its id and key too, and extensions. */
const authenticatorData = defineBase64url(8_000);

const credentialType = z.literal("public-key");

/**
 * `createdCredential` is what `PublicKeyCredential.toJSON()` returns after
 * `navigator.credentials.create`, as far as it is read.
 */
export const createdCredential = z.object({
  id: credentialId,
  type: credentialType,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData,
    /** SubjectPublicKeyInfo in DER. RSA of 4,096 bits takes some 740 characters. */
    publicKey: defineBase64url(1_400),
    transports: z._default(
      z.array(z.string().check(z.regex(/^[a-z-]{1,20}$/))).check(z.maxLength(10)),
      [],
    ),
  }),
});
export type CreatedCredential = z.output<typeof createdCredential>;

/** `presentedCredential` is the same after `navigator.credentials.get`. */
export const presentedCredential = z.object({
  id: credentialId,
  type: credentialType,
  response: z.object({
    clientDataJSON: clientData,
    authenticatorData,
    signature: defineBase64url(1_400),
    userHandle: defineBase64url(86),
  }),
});
export type PresentedCredential = z.output<typeof presentedCredential>;

const descriptor = z.object({
  id: z.string(),
  type: credentialType,
  transports: z.array(z.string()),
});

/** `requestOptions` are for `PublicKeyCredential.parseRequestOptionsFromJSON`. */
const requestOptions = z.object({
  publicKey: z.object({
    challenge: z.string(),
    timeout: z.int(),
    rpId: z.string(),
    allowCredentials: z.array(descriptor),
    userVerification: z.literal("required"),
  }),
});

/** `creationOptions` are for `PublicKeyCredential.parseCreationOptionsFromJSON`. */
const creationOptions = z.object({
  publicKey: z.object({
    challenge: z.string(),
    timeout: z.int(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type: credentialType, alg: z.int() })),
    excludeCredentials: z.array(descriptor),
    authenticatorSelection: z.object({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification: z.literal("required"),
    }),
    attestation: z.literal("none"),
  }),
});

export const passkey = z.object({
  id: z.int(),
  uuid: z.string(),
  user_uuid: z.string(),
  credential_name: z.string(),
  /** `sign_count` says how often the device says that it signed; 0 from those that do not count. */
  sign_count: z.int(),
  /**
   * The passkey is copied to other devices of its owner, so that a lost device does not lose it.
   */
  backed_up: z.boolean(),
  created_at: unixMillis,
  /** Null before the first sign-in. */
  used_at: z.nullable(unixMillis),
});
export type Passkey = z.output<typeof passkey>;

const name = line(passkeyNameMax);

export const beginPasskeyLogin = endpoint("POST", "/api/user/passkey/login/begin", {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary:
    "A challenge for signing in with a passkey: bound to this browser, single-use, valid for five minutes",
  data: requestOptions,
  beforePasswordChange: true,
});

export const finishPasskeyLogin = endpoint("POST", "/api/user/passkey/login/finish", {
  access: "public",
  scope: "none",
  inReadOnly: true,
  summary: "Sign in with a passkey, which counts as both factors; sets the session cookie",
  body: presentedCredential,
  data: user,
  beforePasswordChange: true,
});

export const listPasskeys = endpoint("GET", "/api/user/passkey", {
  access: "user",
  scope: "none",
  summary: "The caller's passkeys, the oldest first",
  beforeSecondFactor: true,
  data: z.array(passkey),
});

export const beginPasskeyRegistration = endpoint("POST", "/api/user/passkey/register/begin", {
  access: "user",
  scope: "none",
  summary: "A challenge for adding a passkey; needs recent proof",
  beforeSecondFactor: true,
  body: z.object(confirmation),
  data: creationOptions,
  limit: "sign-in",
});

export const finishPasskeyRegistration = endpoint("POST", "/api/user/passkey/register/finish", {
  access: "user",
  scope: "none",
  summary: "Add the passkey that the browser made",
  beforeSecondFactor: true,
  query: z.object({ name: z._default(name, "") }),
  body: createdCredential,
  data: passkey,
});

export const renamePasskey = endpoint("PUT", "/api/user/passkey/:id", {
  access: "user",
  scope: "none",
  summary: "Rename one of the caller's passkeys",
  params: byId,
  body: z.object({ name: name.check(z.minLength(1, "Name is required")) }),
});

const removal = {
  access: "user",
  scope: "none",
  summary: "Remove one of the caller's passkeys; refused for the only way to sign in",
  params: byId,
} as const;
/** `removePasskey` has no body, so it requires a sign-in of the last ten minutes. */
export const removePasskey = endpoint("DELETE", "/api/user/passkey/:id", removal);
export const removePasskeyByPost = endpoint("POST", "/api/user/passkey/:id/remove", {
  ...removal,
  body: z.object(confirmation),
  limit: "sign-in",
});

export const beginPasskeyProof = endpoint("POST", "/api/user/passkey/proof/begin", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary: "A challenge for confirming the caller's identity with a passkey",
  beforeSecondFactor: true,
  data: requestOptions,
});

export const finishPasskeyProof = endpoint("POST", "/api/user/passkey/proof/finish", {
  access: "user",
  scope: "none",
  inReadOnly: true,
  summary:
    "Confirm the caller's identity with a passkey: what asks for recent proof passes for ten minutes",
  beforeSecondFactor: true,
  body: presentedCredential,
});
