/**
 * OpenID Connect providers that users sign in with, and the rules by which their claims give roles,
 * price groups and teams.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation, uuid7 } from "../api/ids.ts";
import { line, unixMillis } from "../api/scalars.ts";
import { confirmation } from "./accounts.ts";
import { budgetWindow } from "./budget-kinds.ts";
import { budgetAmount } from "./budgets.ts";
import { teamRoles } from "./teams.ts";

/** Buttons beyond these would hide the password from users. */
export const oidcProvidersMax = 5;
export const claimRulesMax = 50;
/**
 * `claimsTextMax` leaves room for the claims of one user, a few kilobytes that administrators paste
 * to try the rules.
 */
const claimsTextMax = 64 * 1024;
const acrValuesMax = 20;
export const keysRestDaysMax = 365;

/** Part of the callback address, which is registered with the provider: it never changes. */
export const oidcSlug = z
  .string()
  .check(
    z.regex(
      /^[a-z][a-z0-9-]{0,30}$/,
      makeAboutField(
        "must begin with a letter and hold only lower-case letters, digits and hyphens",
      ),
    ),
  );

const httpUrl = z.string().check(
  z.maxLength(500),
  z.refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text) && !/[?#]/.test(text),
    makeAboutField("must be the provider's address, beginning with https://"),
  ),
);

/** Space-separated; without `openid` the provider would send no id token. */
const scopes = z.pipe(
  line(300),
  z.transform((text) => [...new Set(["openid", ...text.split(" ").filter(Boolean)])].join(" ")),
);

/** Providers give users and administrators, never root. */
export const claimRoles = [1, 10] as const;

/** `givenBudget` is what a member may spend of a team in each window, in quota units. */
const givenBudget = z.object({ amount: budgetAmount, window: budgetWindow });
export type GivenBudget = z.output<typeof givenBudget>;

const givesAnything = ({
  role,
  group,
  team,
}: {
  role: number | null;
  group: string;
  team: string;
}) => role !== null || group !== "" || team !== "";

/**
 * `claimRule` is one rule. `claim` is a dotted path, such as `realm_access.roles`; the value
 * compares exactly.
 */
const claimRule = z
  .object({
    claim: line(200).check(z.minLength(1, makeAboutField("is required"))),
    value: line(200).check(z.minLength(1, makeAboutField("is required"))),
    /** Null gives no role. */
    role: z.nullable(z.literal(claimRoles)),
    /** Empty gives no price group. */
    group: line(64),
    /** The uuid of the team that they come into; empty for none. */
    team: z._default(z.union([z.literal(""), uuid7]), ""),
    team_role: z._default(z.enum(teamRoles), "member"),
    /** A budget of each of them in the team, beside those that the team gives. Null for none. */
    team_budget: z._default(z.nullable(givenBudget), null),
  })
  .check(
    z.refine(givesAnything, makeAboutField("must give a role, a group or a team")),
    z.refine(({ team, team_budget }) => team !== "" || team_budget === null, {
      ...makeAboutField("needs a team"),
      path: ["team_budget"],
    }),
  );
export type ClaimRule = z.output<typeof claimRule>;
const claimRules = z.array(claimRule).check(z.maxLength(claimRulesMax));

const settings = {
  name: line(40).check(z.minLength(1, makeAboutField("is required"))),
  /** Exactly as the provider's own document names it. */
  issuer: httpUrl,
  client_id: line(300).check(z.minLength(1, makeAboutField("is required"))),
  scopes,
  enabled: z.boolean(),
  /** The place of its button on the sign-in page. */
  position: z.int().check(z.minimum(0), z.maximum(99)),
  /** The first sign-in of an unknown person creates no account. */
  known_people_only: z.boolean(),
  /** Refuses people whom no rule matches, instead of letting them in as users. */
  refuses_unmatched: z.boolean(),
  /** `mfa` in the claim `amr`, or one of `acr_values` in `acr`, counts as the second factor. */
  trusts_second_factor: z.boolean(),
  acr_values: z.array(line(200)).check(z.maxLength(acrValuesMax)),
  /**
   * A sign-out here leads to the provider's own, where it names an `end_session_endpoint`. It comes
   * back to `/login` under PUBLIC_URL, which must be registered with the provider as a
   * `post_logout_redirect_uri`.
   */
  ends_session: z.boolean(),
  /**
   * A first sign-in whose address the provider has verified is that of the user who has the address
   * here: never of an administrator, and only where the address was proved here too, or with a code
   * that is mailed to it.
   */
  links_verified_mail: z.boolean(),
  /** Accounts that are bound to the provider sign in with a password no longer; root always may. */
  closes_password: z.boolean(),
  /**
   * Days without a sign-in with this provider after which the API keys of its people are paused,
   * until they sign in; 0 for never.
   */
  keys_rest_days: z.int().check(z.minimum(0), z.maximum(keysRestDaysMax)),
  rules: claimRules,
};

export const oidcProvider = z.object({
  id: z.int(),
  uuid: z.string(),
  slug: z.string(),
  ...settings,
  /** `has_secret` comes without a secret the client is public: PKCE alone protects the code. */
  has_secret: z.boolean(),
  /** The configuration file that it belongs to; empty where root made it. */
  managed_by: z.string(),
  /** `redirect_uri` is to be registered with the provider; empty until PUBLIC_URL is set. */
  redirect_uri: z.string(),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type OidcProvider = z.output<typeof oidcProvider>;

const secret = z.optional(line(500));

export const oidcProviderInput = z.object({
  slug: oidcSlug,
  name: settings.name,
  issuer: settings.issuer,
  client_id: settings.client_id,
  client_secret: secret,
  scopes: z._default(scopes, "openid profile email"),
  enabled: z._default(settings.enabled, false),
  position: z._default(settings.position, 0),
  known_people_only: z._default(settings.known_people_only, false),
  refuses_unmatched: z._default(settings.refuses_unmatched, false),
  trusts_second_factor: z._default(settings.trusts_second_factor, false),
  acr_values: z._default(settings.acr_values, []),
  ends_session: z._default(settings.ends_session, false),
  links_verified_mail: z._default(settings.links_verified_mail, false),
  closes_password: z._default(settings.closes_password, false),
  keys_rest_days: z._default(settings.keys_rest_days, 0),
  rules: z._default(claimRules, []),
  ...confirmation,
});
export type OidcProviderInput = z.output<typeof oidcProviderInput>;

/** A missing member keeps its value. */
export const oidcProviderChange = z
  .object({
    ...bodyReference,
    name: z.optional(settings.name),
    issuer: z.optional(settings.issuer),
    client_id: z.optional(settings.client_id),
    /** Empty removes the secret. A new issuer or client id needs it again. */
    client_secret: secret,
    scopes: z.optional(scopes),
    enabled: z.optional(settings.enabled),
    position: z.optional(settings.position),
    known_people_only: z.optional(settings.known_people_only),
    refuses_unmatched: z.optional(settings.refuses_unmatched),
    trusts_second_factor: z.optional(settings.trusts_second_factor),
    acr_values: z.optional(settings.acr_values),
    ends_session: z.optional(settings.ends_session),
    links_verified_mail: z.optional(settings.links_verified_mail),
    closes_password: z.optional(settings.closes_password),
    keys_rest_days: z.optional(settings.keys_rest_days),
    rules: z.optional(claimRules),
    /** Empty takes it over from its configuration file. */
    managed_by: z.optional(z.literal("")),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
    ...confirmation,
  })
  .check(z.refine(isNamed, namedExplanation));
export type OidcProviderChange = z.output<typeof oidcProviderChange>;

export const listOidcProviders = endpoint("GET", "/api/oidc_provider/", {
  access: "root",
  scope: "options:read",
  summary: "The OpenID Connect providers, in the order of their buttons",
  data: z.array(oidcProvider),
  /**
   * `extras` are what comes before a slug in the address of its callback; empty until PUBLIC_URL is
   * set.
   */
  extras: z.object({ callback_start: z.string() }),
});

// Who may sign in, and as what: no management key decides it, whatever its maker may do.
export const createOidcProvider = endpoint("POST", "/api/oidc_provider/", {
  access: "root",
  scope: "none",
  summary: "Add an OpenID Connect provider",
  body: oidcProviderInput,
  data: oidcProvider,
});

export const updateOidcProvider = endpoint("PUT", "/api/oidc_provider/", {
  access: "root",
  scope: "none",
  summary: "Change an OpenID Connect provider; the next sign-in obeys it",
  body: oidcProviderChange,
  data: oidcProvider,
});

const removal = {
  access: "root",
  scope: "none",
  summary:
    "Delete an OpenID Connect provider; accounts keep what is bound, for a provider of the same issuer",
  params: byId,
} as const;
/** `deleteOidcProvider` has no body, so it requires a sign-in of the last ten minutes. */
export const deleteOidcProvider = endpoint("DELETE", "/api/oidc_provider/:id", removal);
export const deleteOidcProviderByPost = endpoint("POST", "/api/oidc_provider/:id/delete", {
  ...removal,
  body: z.object(confirmation),
  limit: "sign-in",
});

/** `oidcProblems` are what a test found wrong. */
export const oidcProblems = [
  /** No answer, or none that is JSON, within ten seconds and one megabyte. */
  "unreachable",
  /** The address is plain HTTP or private, and IDENTITY_PRIVATE_HOSTS does not name it. */
  "address",
  /** The document names another issuer. */
  "issuer",
  /** No authorization endpoint, token endpoint or keys. */
  "endpoints",
  /** The provider does not know the client, or its secret is wrong. */
  "client",
] as const;
export type OidcProblem = (typeof oidcProblems)[number];

export const testOidcProvider = endpoint("POST", "/api/oidc_provider/test", {
  access: "root",
  scope: "none",
  summary: "Read a provider's discovery document and try the client, without storing anything",
  body: z.object({
    /**
     * A stored provider whose secret is used where issuer and client are the same and none is
     * given.
     */
    id: bodyReference.id,
    issuer: httpUrl,
    client_id: settings.client_id,
    client_secret: secret,
  }),
  data: z.object({
    problem: z.nullable(z.enum(oidcProblems)),
    /** `detail` is what the provider said or named instead; for root alone. */
    detail: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    end_session_endpoint: z.string(),
    algorithms: z.array(z.string()),
    scopes: z.array(z.string()),
    /** `announces_pkce` holds some providers accept PKCE without announcing it. */
    announces_pkce: z.boolean(),
    /**
     * `clock_ahead_s` says how far the provider's clock is ahead of this server's; beyond 30
     * seconds sign-ins fail. Null: it sent no date.
     */
    clock_ahead_s: z.nullable(z.int()),
  }),
  /** Discovery and the trial of the client may take ten seconds each. */
  timeoutMs: 25_000,
});
/** `OidcTestReport` is what `data` holds after a test. */
export type OidcTestReport = z.output<typeof testOidcProvider.data>;

/** `teamGrant` is a membership that a rule gives; of two rules for one team, the first decides. */
const teamGrant = z.object({
  /** `team` is its uuid. */
  team: z.string(),
  role: z.enum(teamRoles),
  budget: z.nullable(givenBudget),
});
export type TeamGrant = z.output<typeof teamGrant>;

/** `claimVerdict` is what the rules make of claims. */
export const claimVerdict = z.object({
  /** False: the sign-in is refused because no rule matches. */
  is_admitted: z.boolean(),
  role: z.nullable(z.literal(claimRoles)),
  group: z.string(),
  /** `teams` are all that the matching rules give. */
  teams: z.array(teamGrant),
  /** `matched` says which rules matched, counted from 0. */
  matched: z.array(z.int()),
  /** The provider left out the groups because there are too many: the account keeps what it has. */
  is_overage: z.boolean(),
});
export type ClaimVerdict = z.output<typeof claimVerdict>;

export const tryClaims = endpoint("POST", "/api/oidc_provider/try", {
  access: "root",
  scope: "none",
  summary: "What rules would make of the claims of an id token",
  body: z.object({
    rules: claimRules,
    refuses_unmatched: z.boolean(),
    /** A JSON object, as `id_token` holds it. */
    claims: z.string().check(z.maxLength(claimsTextMax)),
  }),
  data: claimVerdict,
});
