/**
 * Signing in a coding agent or the command line for a person: the device flow of RFC 8628. The
 * program shows a code, the person approves it in the console, and the program gets API keys of an
 * hour and what renews them.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { unixMillis } from "../api/scalars.ts";

/** The addresses, for clients that know no contract. */
export const agentPaths = {
  device: "/api/agent/device",
  token: "/api/agent/token",
  revoke: "/api/agent/revoke",
  discovery: "/.well-known/oauth-authorization-server",
  /** The page on which a person enters the code. */
  page: "/device",
} as const;

export const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
export const refreshGrant = "refresh_token";

/** No vowels, so that no word comes out, and nothing that looks like a digit. */
export const userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
const userCodeLength = 8;

/** A code as people type it: small letters, spaces and other dashes do not matter. */
export const normaliseUserCode = (typed: string): string =>
  typed.toUpperCase().replaceAll(/[^A-Z]/g, "");

const userCode = z.pipe(
  z.string().check(z.maxLength(40)),
  z.pipe(
    z.transform(normaliseUserCode),
    z
      .string()
      .check(
        z.regex(
          new RegExp(`^[${userCodeLetters}]{${userCodeLength}}$`),
          makeAboutField("must be a code of 8 letters"),
        ),
      ),
  ),
);

/**
 * The first row that fits names the program. What else a program says about itself is shown to
 * nobody: it may lie.
 */
const agentNames: readonly (readonly [RegExp, string])[] = [
  [/^claude[-_ ]?(?:cli|code)\b/i, "Claude Code"],
  [/^codex/i, "Codex"],
  [/^tollgate\//i, "Tollgate"],
  [/^opencode\//i, "OpenCode"],
  [/^qwencode/i, "Qwen Code"],
  [/^geminicli/i, "Gemini CLI"],
];

export const findAgentName = (userAgent: string): string =>
  agentNames.find(([pattern]) => pattern.test(userAgent))?.[1] ?? "";

/**
 * Sent and not read: the program is told by its user agent, which it cannot set in a form of
 * another page.
 */
const ignored = z.optional(z.string().check(z.maxLength(1_000)));
/** `secret` takes any text: one of another form is as unknown as any other. */
const secret = z.string().check(z.maxLength(200));

const ofPrograms = {
  access: "public",
  scope: "none",
  inReadOnly: true,
  beforePasswordChange: true,
  takesForm: true,
  bare: true,
} as const;

export const startDevice = endpoint("POST", agentPaths.device, {
  ...ofPrograms,
  summary:
    "Begin the sign-in of a program (RFC 8628): a code that a person approves within ten minutes",
  body: z.object({ client_id: ignored, scope: ignored }),
  data: z.object({
    device_code: z.string(),
    user_code: z.string(),
    verification_uri: z.string(),
    verification_uri_complete: z.string(),
    /** Seconds. */
    expires_in: z.int(),
    interval: z.int(),
  }),
});

export const agentToken = z.object({
  /** An API key for `/v1`. */
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  /** Seconds. */
  expires_in: z.int(),
  refresh_token: z.string(),
});
export type AgentToken = z.output<typeof agentToken>;

export const issueAgentToken = endpoint("POST", agentPaths.token, {
  ...ofPrograms,
  summary: "Exchange an approved code, or renew: an API key for an hour and what renews it once",
  body: z.object({
    grant_type: z.string().check(z.maxLength(100)),
    device_code: z.optional(secret),
    refresh_token: z.optional(secret),
    client_id: ignored,
    scope: ignored,
  }),
  data: agentToken,
});

export const revokeAgentToken = endpoint("POST", agentPaths.revoke, {
  ...ofPrograms,
  summary: "End a sign-in of a program by what renews it (RFC 7009); always succeeds",
  body: z.object({ token: secret, token_type_hint: ignored, client_id: ignored }),
  data: z.object({}),
});

export const readAgentDiscovery = endpoint("GET", agentPaths.discovery, {
  access: "public",
  scope: "none",
  beforePasswordChange: true,
  bare: true,
  summary: "Where programs sign in (RFC 8414)",
  data: z.object({
    issuer: z.string(),
    device_authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    revocation_endpoint: z.string(),
    grant_types_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    gateway_protocol_version: z.int(),
  }),
});

const ofPeople = { access: "user", scope: "none", inReadOnly: true } as const;

/** `waitingDevice` is the program that waits for a person's answer, as they can recognise it. */
export const waitingDevice = z.object({
  /** Empty where its user agent is of no agent that is known. */
  agent: z.string(),
  /** The address from which the program runs. */
  address: z.string(),
  /** The program runs where this browser is. */
  is_here: z.boolean(),
  started_at: unixMillis,
  expires_at: unixMillis,
});
export type WaitingDevice = z.output<typeof waitingDevice>;

export const findDevice = endpoint("POST", "/api/agent/device/find", {
  ...ofPeople,
  summary: "What asks to be signed in with this code",
  body: z.object({ user_code: userCode }),
  data: waitingDevice,
});

export const answerDevice = endpoint("POST", "/api/agent/device/answer", {
  ...ofPeople,
  summary: "Approve or deny what asks with this code; once",
  body: z.object({ user_code: userCode, approve: z.boolean() }),
});
