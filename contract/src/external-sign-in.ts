/** Signing in with an account at GitHub or Lark, and binding one to the own account. */
import * as z from "zod/mini";
import { confirmation, totpCode } from "./accounts.ts";
import { endpoint } from "./endpoint.ts";
import { aboutField } from "./field-message.ts";
import { unixMillis } from "./scalars.ts";
import { recoveryCode } from "./totp.ts";
import { user } from "./users.ts";

export const externalProviders = ["github", "lark"] as const;
export type ExternalProvider = (typeof externalProviders)[number];

/** What a state is good for. Without it: binding for whoever is signed in, else signing in. */
const purpose = z.optional(z.enum(["sign-in", "bind"]));
const presented = (max: number) => z.string().check(z.minLength(1, aboutField("is required")), z.maxLength(max));
const state = presented(200);

const newState = {
  access: "public",
  summary: "A state for one round trip to a provider: bound to this browser, used once, good for ten minutes",
  beforePasswordChange: true,
  data: z.string(),
  /** Where the browser goes next. */
  extras: z.object({ github_authorize_url: z.string(), lark_authorize_url: z.string() }),
} as const;
export const newOauthState = endpoint("GET", "/api/oauth/state", { ...newState, query: z.object({ purpose }) });
export const newOauthStateByPost = endpoint("POST", "/api/oauth/state", {
  ...newState,
  body: z.object({ purpose, ...confirmation }),
  limit: "sign-in",
});

const callback = {
  access: "public",
  beforePasswordChange: true,
  query: z.object({ code: presented(2000), state }),
  /** Null, with the message `bind`, when the account was bound. */
  data: z.nullable(user),
  extras: z.object({ bound: z.boolean() }),
  /** The provider has ten seconds of them. */
  timeoutMs: 15_000,
} as const;
export const finishGithub = endpoint("GET", "/api/oauth/github", {
  ...callback,
  summary: "Back from GitHub: signs in, or binds when the state was made for that",
});
export const finishLark = endpoint("GET", "/api/oauth/lark", {
  ...callback,
  summary: "Back from Lark: signs in, or binds when the state was made for that",
});

export const finishExternalTotp = endpoint("POST", "/api/oauth/totp", {
  access: "public",
  summary: "The code of the second factor that an external sign-in asked for, within five minutes",
  body: z.object({ state, totp_code: z.optional(totpCode), recovery_code: z.optional(recoveryCode) }).check(
    z.refine((body) => Boolean(body.totp_code ?? body.recovery_code), {
      ...aboutField("or recovery_code is required"),
      path: ["totp_code"],
    }),
  ),
  data: user,
  limit: "sign-in",
  beforePasswordChange: true,
});

const provider = z.enum(externalProviders);

export const listExternalAccounts = endpoint("GET", "/api/user/external", {
  access: "user",
  summary: "The external accounts that sign into one's own account",
  data: z.array(
    z.object({
      provider,
      /** What the provider called the account when it was bound. */
      name: z.string(),
      created_at: unixMillis,
    }),
  ),
});

export const unbindExternalAccount = endpoint("POST", "/api/user/external/unbind", {
  access: "user",
  summary: "Unbind an external account; never the only way to sign in",
  body: z.object({ provider, ...confirmation }),
  limit: "sign-in",
});
