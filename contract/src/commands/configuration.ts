/**
 * The wanted state of a gateway as one document: what `tollgate apply` sends and `tollgate export`
 * receives. Accounts, balances, API keys, codes and logs are no configuration.
 */
import * as z from "zod/mini";
import { confirmation } from "../accounts/accounts.ts";
import { budgetWindow } from "../accounts/budget-kinds.ts";
import { budgetTemplatesMax } from "../accounts/budget-templates.ts";
import { externalId } from "../accounts/external-ids.ts";
import { claimRulesMax, oidcProviderInput, oidcProvidersMax } from "../accounts/oidc-providers.ts";
import { teamRoles } from "../accounts/teams.ts";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { channelTag, line } from "../api/scalars.ts";
import { channelTypes, findChannelType } from "../catalogue/channel-types.ts";
import { mcpServerInput, mcpServersMax } from "../catalogue/mcp-servers.ts";
import { modelPrices } from "../catalogue/model-prices.ts";
import { virtualModelInput } from "../catalogue/virtual-models.ts";
import {
  configuredAmount,
  configuredBudget,
  configuredBudgetTemplate,
} from "./configured-budgets.ts";
import { configuredTeam } from "./configured-teams.ts";

export const configurationVersion = "tollgate/v1";
/** Far above any site: each of them is planned in one request. */
const channelsMax = 5_000;
const virtualModelsMax = 500;
const settingsMax = 200;
const pricedModelsMax = 5_000;
const budgetsMax = 1_000;
const teamsMax = 1_000;
const ratioMax = 1_000_000;

/** The name of a channel type in a file: `openai`, `aws-bedrock`. */
export const readTypeWord = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

const typeIds = new Map(channelTypes.map(({ id, name }) => [readTypeWord(name), id]));

/** `findType` takes a name or a number; the number where it has no name here. */
export const findType = (given: string | number): number | undefined =>
  typeof given === "number" ? findChannelType(given)?.id : typeIds.get(given);

/** The first name of a type, or its number where another type has that name. */
export function formatTypeName(id: number): string | number {
  const word = readTypeWord(findChannelType(id)?.name ?? "");
  return typeIds.get(word) === id ? word : id;
}

const text = z.string().check(z.maxLength(100_000));
const names = z.array(line(200)).check(z.maxLength(2_000));
const members = z.record(z.string(), z.unknown());
const order = z.int().check(z.minimum(-1_000_000_000), z.maximum(1_000_000_000));
const share = z.int().check(z.minimum(0), z.maximum(1_000_000_000));

/**
 * A member that is left out has its default; key, models, groups and whether the channel is enabled
 * stay.
 */
const configuredChannel = z.strictObject({
  name: line(100).check(z.minLength(1)),
  /** `externalId` goes by which later files find the channel; without one, its name. */
  externalId: z.optional(externalId),
  type: z
    .union([z.string(), z.int()])
    .check(
      z.refine((given) => findType(given) !== undefined, makeAboutField("is no channel type")),
    ),
  /** `key` is in a file `env:NAME` or `file:PATH`; in a request the key itself. */
  key: z.optional(text),
  enabled: z.optional(z.boolean()),
  baseUrl: z.optional(line(500)),
  other: z.optional(text),
  models: z.optional(names.check(z.minLength(1))),
  hiddenModels: z.optional(names),
  modelMapping: z.optional(z.record(z.string(), z.string())),
  modelConfigs: z.optional(members),
  systemPrompt: z.optional(text),
  inferenceProfileArns: z.optional(z.record(z.string(), z.string())),
  testingModel: z.optional(line(200)),
  groups: z.optional(names.check(z.minLength(1))),
  config: z.optional(members),
  priority: z.optional(order),
  weight: z.optional(share),
  ratelimit: z.optional(share),
  tag: z.optional(channelTag),
});
export type ConfiguredChannel = z.output<typeof configuredChannel>;

const { name, enabled, tiers, sticky, access } = virtualModelInput.shape;
const configuredVirtualModel = z.strictObject({
  name,
  enabled,
  replacesModel: virtualModelInput.shape.replaces_model,
  tiers,
  sticky,
  access,
  retriesRefusedContent: virtualModelInput.shape.retries_refused_content,
});
export type ConfiguredVirtualModel = z.output<typeof configuredVirtualModel>;

const { shape: mcpServerShape } = mcpServerInput;
/** A member that is left out has its default; whether the server is enabled stays. */
const configuredMcpServer = z.strictObject({
  name: mcpServerShape.name,
  description: mcpServerShape.description,
  url: mcpServerShape.url,
  /**
   * `headers` are in a file each value is `env:NAME` or `file:PATH`; in a request the value itself,
   * or a mask for the stored one.
   */
  headers: mcpServerShape.headers,
  enabled: z.optional(z.boolean()),
  namedOnly: mcpServerShape.named_only,
  groups: mcpServerShape.groups,
  tools: mcpServerShape.tools,
  callPrice: mcpServerShape.call_price,
  toolPrices: mcpServerShape.tool_prices,
  timeoutMs: mcpServerShape.timeout_ms,
});
export type ConfiguredMcpServer = z.output<typeof configuredMcpServer>;

const { shape: providerShape } = oidcProviderInput;
const claimText = line(200).check(z.minLength(1));
/**
 * A member that is left out has its default; the secret, and whether the provider is enabled, stay.
 */
const configuredIdentityProvider = z.strictObject({
  slug: providerShape.slug,
  /** The word on the sign-in button; without one, the slug. */
  name: z.optional(providerShape.name),
  issuer: providerShape.issuer,
  clientId: providerShape.client_id,
  /**
   * `clientSecret` is in a file `env:NAME` or `file:PATH`; in a request the secret itself. Empty
   * for a public client.
   */
  clientSecret: providerShape.client_secret,
  scopes: z._default(z.array(line(100)).check(z.maxLength(30)), ["openid", "profile", "email"]),
  enabled: z.optional(z.boolean()),
  position: providerShape.position,
  knownPeopleOnly: providerShape.known_people_only,
  unmatched: z._default(z.enum(["admit", "refuse"]), "admit"),
  trustsSecondFactor: providerShape.trusts_second_factor,
  acrValues: providerShape.acr_values,
  endsSession: providerShape.ends_session,
  linksVerifiedMail: providerShape.links_verified_mail,
  closesPassword: providerShape.closes_password,
  keysRestDays: providerShape.keys_rest_days,
  rules: z._default(
    z
      .array(
        z
          .strictObject({
            claim: claimText,
            value: claimText,
            role: z.optional(z.enum(["user", "admin"])),
            group: z.optional(line(64).check(z.minLength(1))),
            /** The `externalId` of a team, or its name where it has none. */
            team: z.optional(line(100).check(z.minLength(1))),
            teamRole: z.optional(z.enum(teamRoles)),
            teamBudget: z.optional(
              z.strictObject({ amount: configuredAmount, window: budgetWindow }),
            ),
          })
          .check(
            z.refine(
              ({ role, group, team }) => [role, group, team].some((given) => given !== undefined),
              makeAboutField("must give a role, a group or a team"),
            ),
            z.refine(
              ({ team, teamRole, teamBudget }) =>
                team !== undefined || (teamRole === undefined && teamBudget === undefined),
              makeAboutField("needs a team for teamRole and teamBudget"),
            ),
          ),
      )
      .check(z.maxLength(claimRulesMax)),
    [],
  ),
});
export type ConfiguredIdentityProvider = z.output<typeof configuredIdentityProvider>;

const settingValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.union([z.string(), z.number()])),
  members,
]);
export type SettingValue = z.output<typeof settingValue>;

export const configuration = z.strictObject({
  apiVersion: z.literal(configurationVersion),
  settings: z.optional(
    z.record(z.string(), settingValue).check(
      z.refine(
        (all) => Object.keys(all).length <= settingsMax,
        makeAboutField(`must have at most ${settingsMax} members`),
      ),
      z.refine(
        (all) => !("GroupRatio" in all),
        makeAboutField("must not have GroupRatio: `groups` is its place"),
      ),
      z.refine(
        (all) => !Object.keys(all).some((key) => key.startsWith("Oidc")),
        makeAboutField("must not have Oidc… settings: `identityProviders` is their place"),
      ),
    ),
  ),
  /** The price ratio of each group. */
  groups: z.optional(z.record(z.string(), z.number().check(z.minimum(0), z.maximum(ratioMax)))),
  /**
   * The operator's prices by model: all of them, so that a model without one has its built-in
   * price.
   */
  prices: z.optional(
    z
      .record(line(200).check(z.minLength(1)), modelPrices)
      .check(
        z.refine(
          (all) => Object.keys(all).length <= pricedModelsMax,
          makeAboutField(`must have at most ${pricedModelsMax} members`),
        ),
      ),
  ),
  channels: z.optional(z.array(configuredChannel).check(z.maxLength(channelsMax))),
  virtualModels: z.optional(z.array(configuredVirtualModel).check(z.maxLength(virtualModelsMax))),
  mcpServers: z.optional(z.array(configuredMcpServer).check(z.maxLength(mcpServersMax))),
  budgets: z.optional(z.array(configuredBudget).check(z.maxLength(budgetsMax))),
  identityProviders: z.optional(
    z.array(configuredIdentityProvider).check(z.maxLength(oidcProvidersMax)),
  ),
  budgetTemplates: z.optional(
    z.array(configuredBudgetTemplate).check(z.maxLength(budgetTemplatesMax)),
  ),
  teams: z.optional(z.array(configuredTeam).check(z.maxLength(teamsMax))),
});
export type Configuration = z.output<typeof configuration>;

export const configurationKinds = [
  "setting",
  "group",
  "price",
  "channel",
  "virtual_model",
  "mcp_server",
  "identity_provider",
  "budget",
  "budget_template",
  "team",
  "team_member",
  "team_budget",
  "member_budget",
] as const;
export type ConfigurationKind = (typeof configurationKinds)[number];

/** `left`: it belongs to the file and is no longer in it, and would be deleted with `prune`. */
export const configurationActions = ["create", "update", "adopt", "delete", "left"] as const;

const plannedChange = z.object({
  kind: z.enum(configurationKinds),
  name: z.string(),
  action: z.enum(configurationActions),
  /** The members that change, never their values: they may be secret. */
  members: z.array(z.string()),
});
export type PlannedChange = z.output<typeof plannedChange>;

const configurationProblem = z.object({
  kind: z.enum(configurationKinds),
  name: z.string(),
  code: z.string(),
  message: z.string(),
});
export type ConfigurationProblem = z.output<typeof configurationProblem>;

export const configurationRequest = z.object({
  /** The name that marks what the document creates: the same in every run. */
  file: line(100).check(z.minLength(1, makeAboutField("is required"))),
  /** SHA-256 of the file in hex, for the record of changes. */
  file_hash: z._default(
    z.string().check(z.regex(/^([0-9a-f]{64})?$/, makeAboutField("must be a SHA-256 in hex"))),
    "",
  ),
  document: configuration,
  /** Only the plan is wanted. */
  preview: z._default(z.boolean(), false),
  /**
   * `adopt` takes things over that were made in the console, or by another file: they become this
   * file's.
   */
  adopt: z._default(z.boolean(), false),
  /** `prune` deletes things that belong to this file and are no longer in it. */
  prune: z._default(z.boolean(), false),
  /**
   * The proof of identity of the caller, or of the maker of the management key: a change of
   * identity providers needs it.
   */
  ...confirmation,
});
export type ConfigurationRequest = z.output<typeof configurationRequest>;

export const exportConfiguration = endpoint("GET", "/api/config/", {
  access: "admin",
  scope: "config:read",
  summary:
    "The present configuration with references in the place of secrets; settings for root alone",
  // A document that `configuration` reads, unless rows of an old import hold what no request could.
  data: z.record(z.string(), z.unknown()),
  timeoutMs: 60_000,
});

export const applyConfiguration = endpoint("POST", "/api/config/apply", {
  access: "admin",
  scope: "config:write",
  summary:
    "Bring prices, channels, virtual models, MCP servers, budgets and their templates, teams, and for root settings, groups and identity providers, to the state of a document",
  body: configurationRequest,
  data: z.object({
    changes: z.array(plannedChange),
    unchanged: z.int(),
    /** `problems` stop the run: with one, nothing is written. */
    problems: z.array(configurationProblem),
  }),
  hasLargeBody: true,
  timeoutMs: 60_000,
});
