/**
 * The variables of what a gateway does: whom it may call, sign-in, mail, contents of calls, limits.
 */
import * as z from "zod/mini";
import { bodyCredential, bodyPlace, bodyRegion } from "../call-bodies/body-settings.ts";
import { defineInteger, hostAndPortList, isSmtpUrl, webAddress } from "./config-values.ts";

import type { VariableRows } from "./variable-row.ts";

export const privateHostVariables = {
  UPSTREAM_PRIVATE_HOSTS: {
    meaning:
      "Comma-separated `host:port` pairs of private upstreams that may be called, such as a local Ollama; all other private and local addresses are refused",
    isLive: true,
    schema: hostAndPortList,
  },
  IDENTITY_PRIVATE_HOSTS: {
    meaning:
      "The same for OpenID Connect providers, such as a Keycloak in your network; only these may use plain HTTP",
    isLive: true,
    schema: hostAndPortList,
  },
  NOTICE_PRIVATE_HOSTS: {
    meaning: "The same for receivers of notices, such as your own chat server",
    isLive: true,
    schema: hostAndPortList,
  },
  GUARD_PRIVATE_HOSTS: {
    meaning: "The same for the guard hook, such as a Presidio beside the gateway",
    isLive: true,
    schema: hostAndPortList,
  },
  MCP_PRIVATE_HOSTS: {
    meaning: "The same for MCP servers in your network",
    isLive: true,
    schema: hostAndPortList,
  },
  PRICE_LIST_PRIVATE_HOSTS: {
    meaning: "The same for price lists served in your network",
    isLive: true,
    schema: hostAndPortList,
  },
  IMPORT_PRIVATE_HOSTS: {
    meaning:
      "The same for databases that root imports from in the console, such as `10.0.0.5:5432`",
    isLive: true,
    schema: hostAndPortList,
  },
  PROXY_PRIVATE_HOSTS: {
    meaning: "The same for outbound proxies",
    isLive: true,
    schema: hostAndPortList,
  },
} as const satisfies VariableRows;

export const apiKeyVariables = {
  TOKEN_KEY_PREFIX: {
    meaning: "An additional prefix that presented API keys may carry",
    schema: z._default(z.string().check(z.maxLength(20)), "sk-"),
  },
} as const satisfies VariableRows;

export const signInVariables = {
  SMTP_URL: {
    isLive: true,
    isSecret: true,
    meaning:
      "The outgoing mail server: `smtp://` or `smtps://user:password@host:port?from=name@example.com`; wins over the mail settings of the console. Without either, calls that need mail say so",
    schema: z.optional(
      z.string().check(z.refine(isSmtpUrl, "must be smtp:// or smtps://user:password@host:port")),
    ),
  },
  GITHUB_URL: {
    meaning: "GitHub for sign-in; for GitHub Enterprise its own address",
    schema: z._default(webAddress, "https://github.com"),
  },
  GITHUB_API_URL: {
    meaning: "The API of that GitHub, for instance `https://github.example.com/api/v3`",
    schema: z._default(webAddress, "https://api.github.com"),
  },
  LARK_URL: {
    meaning: "Lark for sign-in; outside of China `https://open.larksuite.com`",
    schema: z._default(webAddress, "https://open.feishu.cn"),
  },
  DISCORD_URL: {
    meaning: "Discord for sign-in",
    schema: z._default(webAddress, "https://discord.com"),
  },
  LINUX_DO_URL: {
    meaning: "LinuxDO for sign-in",
    schema: z._default(webAddress, "https://connect.linux.do"),
  },
  TELEGRAM_URL: {
    meaning: "Telegram's page for sign-in",
    schema: z._default(webAddress, "https://oauth.telegram.org"),
  },
  TURNSTILE_URL: {
    meaning: "Where Turnstile tokens are verified, such as your own relay",
    schema: z._default(webAddress, "https://challenges.cloudflare.com"),
  },
  HCAPTCHA_URL: {
    meaning: "Where hCaptcha tokens are verified",
    schema: z._default(webAddress, "https://api.hcaptcha.com"),
  },
} as const satisfies VariableRows;

export const callBodyVariables = {
  CALL_BODIES: {
    meaning:
      "Where [contents of calls](call-bodies.md) are kept for keys that ask for it: the absolute path of a folder, or the https:// address of an S3 bucket (either style) with a prefix; absent: none are kept",
    schema: bodyPlace,
  },
  CALL_BODIES_REGION: { meaning: "Region of the bucket", schema: bodyRegion, default: "us-east-1" },
  CALL_BODIES_ACCESS_KEY: {
    isSecret: true,
    meaning: "Access key that may read, write and delete in the bucket",
    schema: bodyCredential,
  },
  CALL_BODIES_SECRET_KEY: {
    isSecret: true,
    meaning: "Secret of that access key",
    schema: bodyCredential,
  },
} as const satisfies VariableRows;

export const operationVariables = {
  SECURITY_CONTACT: {
    isLive: true,
    meaning:
      "Whom to tell of a weakness of this site, `mailto:security@example.com` or an https:// address: served at `/.well-known/security.txt`",
    schema: z.optional(
      z
        .string()
        .check(
          z.regex(/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/, "must be mailto: or https://"),
        ),
    ),
  },
  READ_ONLY: {
    isLive: true,
    meaning:
      "`true`: console and `/api` refuse every change with 503 (`read_only`), except sign-ins; calls of API keys go on and are charged. For maintenance and for moving ([docs/operations.md](operations.md#read-only))",
    schema: z._default(z.enum(["true", "false"]), "false"),
  },
  API_RATE_LIMIT: {
    isLive: true,
    meaning:
      "Calls of one route of `/api` per user, or per address without a sign-in, in three minutes. All routes together get four times as many, searches 30 and downloads 5 a minute. 0 disables all of these limits. Behind a reverse proxy set `TRUSTED_PROXIES`, otherwise all clients share one address",
    schema: z._default(defineInteger(0, 1_000_000), 480),
  },
  CHANNEL_TEST_FREQUENCY: {
    meaning: "Minutes between automatic tests of all channels; 0 disables them",
    schema: z._default(defineInteger(0, 525_600), 0),
  },
  SHUTDOWN_GRACE_SECONDS: {
    isLive: true,
    meaning: "How long a stopping gateway waits for running calls",
    schema: z._default(defineInteger(0, 86_400), 300),
  },
  UPSTREAM_TIMEOUT_SECONDS: {
    meaning:
      "How long a provider may be silent before and during its response until the call ends and its prompt is charged; images and transcriptions have ten minutes to start",
    schema: z._default(defineInteger(1, 86_400), 120),
  },
  UPSTREAM_CONNECT_SECONDS: {
    meaning: "How long connecting to a provider may take before the next channel is tried",
    schema: z._default(defineInteger(1, 300), 10),
  },
  CALLER_TIMEOUT_SECONDS: {
    meaning:
      "How long a client may stop reading a response before it is disconnected; a slow client that keeps reading is not",
    schema: z._default(defineInteger(1, 86_400), 60),
  },
} as const satisfies VariableRows;
