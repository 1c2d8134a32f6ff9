import {
  type ClaimRule,
  type GivenBudget,
  keysRestDaysMax,
  type OidcProvider,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import type { TeamRole } from "@tollgate/contract/accounts/teams.ts";
import * as z from "zod/mini";
import { findUnits, formatDollars } from "../../../components/forms/dollars-text.ts";
import { defineWholeNumber, numberText } from "../../../components/forms/whole-number.ts";
import type { OidcPreset } from "./oidc-presets.ts";

/** A rule as its row of inputs holds it. */
export type DraftRule = {
  /** `key` is for React: rules have no identity of their own. */
  key: string;
  claim: string;
  value: string;
  /** Empty gives no role. */
  role: "" | "1" | "10";
  group: string;
  /** The uuid of a team; empty for none. */
  team: string;
  team_role: TeamRole;
  /** Dollars; empty gives no budget. */
  budget: string;
  window: string;
};

/** The form fields as the inputs hold them. */
export type OidcFormValues = {
  name: string;
  slug: string;
  issuer: string;
  client_id: string;
  /** Empty keeps the stored secret. */
  client_secret: string;
  is_public: boolean;
  scopes: string;
  position: string;
  enabled: boolean;
  known_people_only: boolean;
  refuses_unmatched: boolean;
  trusts_second_factor: boolean;
  /** Separated by commas. */
  acr_values: string;
  ends_session: boolean;
  links_verified_mail: boolean;
  closes_password: boolean;
  keys_rest_days: string;
  rules: DraftRule[];
};

const positionMax = 99;
const composeKey = () => crypto.randomUUID();
export const buildDraftRule = (): DraftRule => ({
  key: composeKey(),
  claim: "groups",
  value: "",
  role: "",
  group: "",
  ...{ team: "", team_role: "member", budget: "", window: "month" },
});

export const buildOidcForm = (): OidcFormValues => ({
  name: "",
  slug: "",
  issuer: "",
  client_id: "",
  client_secret: "",
  is_public: false,
  scopes: "openid profile email",
  position: "0",
  enabled: false,
  known_people_only: false,
  refuses_unmatched: false,
  trusts_second_factor: false,
  acr_values: "",
  ends_session: false,
  links_verified_mail: false,
  closes_password: false,
  keys_rest_days: "0",
  rules: [],
});

export const buildPresetFields = ({ name, slug, issuer, scopes }: OidcPreset) => ({
  name,
  slug,
  issuer,
  scopes,
});

export const toOidcForm = (provider: OidcProvider, perUnit: number): OidcFormValues => ({
  name: provider.name,
  slug: provider.slug,
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: "",
  is_public: !provider.has_secret,
  scopes: provider.scopes,
  position: numberText(provider.position),
  enabled: provider.enabled,
  known_people_only: provider.known_people_only,
  refuses_unmatched: provider.refuses_unmatched,
  trusts_second_factor: provider.trusts_second_factor,
  acr_values: provider.acr_values.join(", "),
  ends_session: provider.ends_session,
  links_verified_mail: provider.links_verified_mail,
  closes_password: provider.closes_password,
  keys_rest_days: numberText(provider.keys_rest_days),
  rules: provider.rules.map(({ claim, value, role, group, team, team_role, team_budget }) => ({
    key: composeKey(),
    claim,
    value,
    role: role === 1 ? "1" : role === 10 ? "10" : "",
    ...{ group, team, team_role, window: team_budget?.window ?? "month" },
    budget: team_budget === null ? "" : formatDollars(String(team_budget.amount), perUnit),
  })),
});

const draftRoles: Record<DraftRule["role"], ClaimRule["role"]> = { "": null, "1": 1, "10": 10 };

/** The amount of a budget that is no sum of dollars is not a number, which is no whole rule. */
export const buildClaimRule = (
  { claim, value, role, group, team, team_role, budget, window }: DraftRule,
  perUnit: number,
): ClaimRule => ({
  claim: claim.trim(),
  value: value.trim(),
  role: draftRoles[role],
  group: group.trim(),
  ...{ team, team_role },
  team_budget:
    team === "" || budget.trim() === ""
      ? null
      : {
          amount: Number(findUnits(budget, perUnit) ?? Number.NaN),
          window: window as GivenBudget["window"],
        },
});

const isWholeRule = ({ claim, value, role, group, team, team_budget }: ClaimRule): boolean =>
  claim !== "" &&
  value !== "" &&
  (role !== null || group !== "" || team !== "") &&
  (team_budget === null || team_budget.amount > 0);

/** Operators copy the address of the document as often as the issuer, which is its beginning. */
export const readIssuer = (text: string): string =>
  text.trim().replace(/\/\.well-known\/openid-configuration\/?$/, "");

/** The translated validation messages. */
export type OidcFormMessages = {
  name: string;
  slug: string;
  issuer: string;
  braces: string;
  clientId: string;
  secret: string;
  position: string;
  days: string;
  rules: string;
};

export function defineOidcFormSchema(
  messages: OidcFormMessages,
  { hasStoredSecret, perUnit }: { hasStoredSecret: boolean; perUnit: number },
) {
  const texts = z.object({
    name: z.string().check(z.trim(), z.minLength(1, messages.name)),
    slug: z.string().check(z.trim(), z.regex(/^[a-z][a-z0-9-]{0,30}$/, messages.slug)),
    issuer: z.pipe(z.string(), z.transform(readIssuer)).check(
      z.refine((text) => !/[{}]/.test(text), { error: messages.braces, abort: true }),
      z.refine((text) => /^https?:\/\/./.test(text) && URL.canParse(text), messages.issuer),
    ),
    client_id: z.string().check(z.trim(), z.minLength(1, messages.clientId)),
    client_secret: z.string().check(z.trim()),
    is_public: z.boolean(),
    scopes: z.string(),
    position: defineWholeNumber(messages.position, 0, positionMax),
    enabled: z.boolean(),
    known_people_only: z.boolean(),
    refuses_unmatched: z.boolean(),
    trusts_second_factor: z.boolean(),
    ends_session: z.boolean(),
    links_verified_mail: z.boolean(),
    closes_password: z.boolean(),
    keys_rest_days: defineWholeNumber(messages.days, 0, keysRestDaysMax),
    acr_values: z.pipe(
      z.string(),
      z.transform((text) =>
        text
          .split(",")
          .map((part) => part.trim())
          .filter(Boolean),
      ),
    ),
    rules: z
      .pipe(
        z.custom<DraftRule[]>(),
        z.transform((rules) => rules.map((rule) => buildClaimRule(rule, perUnit))),
      )
      .check(z.refine((rules) => rules.every(isWholeRule), messages.rules)),
  });
  const hasSecret = ({ is_public, client_secret }: z.output<typeof texts>) =>
    is_public || client_secret !== "" || hasStoredSecret;
  return texts.check(z.refine(hasSecret, { error: messages.secret, path: ["client_secret"] }));
}
export type OidcFormOutput = z.output<ReturnType<typeof defineOidcFormSchema>>;

/**
 * The members of a body. A public client's empty secret removes a stored one; no member keeps it.
 */
export function buildOidcBody({
  is_public,
  client_secret,
  ...settings
}: Omit<OidcFormOutput, "slug">) {
  if (is_public) return { ...settings, client_secret: "" };
  return client_secret === "" ? settings : { ...settings, client_secret };
}
