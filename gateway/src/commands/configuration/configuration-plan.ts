/**
 * The changes that a configuration document would make: a plan for each kind, in the order in which
 * the kinds depend on each other.
 */
import { isDeepStrictEqual } from "node:util";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { channelChange, channelInput } from "@tollgate/contract/catalogue/channel-input.ts";
import { type ModelPrices, priceNames } from "@tollgate/contract/catalogue/model-prices.ts";
import type {
  ConfigurationRequest,
  ConfiguredChannel,
  SettingValue,
} from "@tollgate/contract/commands/configuration.ts";
import type { BudgetStore } from "../../accounts/budgets/budget-store.ts";
import type { BudgetTemplateStore } from "../../accounts/budgets/budget-template-store.ts";
import type { OidcProviderStore } from "../../accounts/identity/oidc/oidc-provider-store.ts";
import type { RulingProviders } from "../../accounts/ruling-providers.ts";
import type { InvitationStore } from "../../accounts/teams/invitation-store.ts";
import type { TeamCapStore } from "../../accounts/teams/team-cap-store.ts";
import type { TeamStore } from "../../accounts/teams/team-store.ts";
import type {
  ChannelEditorDeps,
  PlanChannelEdit,
} from "../../catalogue/channels/change-channel.ts";
import { splitKeys } from "../../catalogue/channels/channel-key.ts";
import { hasSeveralKeys } from "../../catalogue/channels/channel-key-rules.ts";
import { buildCreatedChannel, checkKey } from "../../catalogue/channels/channel-rules.ts";
import { planChannelWrites } from "../../catalogue/channels/new-channel-writes.ts";
import type { McpServerStore } from "../../catalogue/mcp-servers/mcp-server-store.ts";
import type { ModelPriceStore } from "../../catalogue/models/model-price-store.ts";
import type { VirtualModelStore } from "../../catalogue/models/virtual-model-store.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import type { OptionEditor } from "../../settings/change-option.ts";
import type { OptionStore } from "../../settings/option-store.ts";
import type { Database, Write } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { buildChannelRequest } from "./configured-channel.ts";
import type { ConfiguredTeamStore } from "./configured-team-store.ts";
import { readIdentity } from "./document-finder.ts";
import {
  addFoundSteps,
  addStep,
  emptyPlan,
  isTakenOver,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

export interface ConfigurationDeps extends ChannelEditorDeps {
  db: Pick<Database, "sql" | "dialect">;
  planEdit: PlanChannelEdit;
  virtualModels: VirtualModelStore;
  modelPrices: ModelPriceStore;
  mcpServers: McpServerStore;
  /** `mcpAddressIssue` says why the address of an MCP server must not be called. */
  mcpAddressIssue(url: string): string | undefined;
  oidcProviders: OidcProviderStore;
  /** `hasPublicUrl` comes without it no provider can be on: people could not come back. */
  hasPublicUrl: boolean;
  budgets: BudgetStore;
  budgetTemplates: BudgetTemplateStore;
  teams: TeamStore;
  ruling: RulingProviders;
  /** `teamParts` read all teams at once, with what they have. */
  teamParts: ConfiguredTeamStore;
  teamCaps: TeamCapStore;
  invitations: Pick<InvitationStore, "endOf" | "endOffers">;
  options: OptionStore;
  editor: OptionEditor;
  /** Statements that forget the report keys of deleted channels. */
  removeReports(uuids: readonly string[]): Write[];
}

export async function planSettings(
  { options, editor }: ConfigurationDeps,
  call: AuthenticatedContext,
  { document }: ConfigurationRequest,
): Promise<KindPlan> {
  const plan = emptyPlan("options");
  const stored = new Map(await options.all());
  const step = (key: string, text: string) => async (): Promise<PlannedStep | undefined> => {
    if (call.principal.role < roles.root) throw refuse("insufficient_role");
    const planned = await editor.plan(call, key, text, stored);
    if (!planned) return undefined;
    // A switch may need a setting that the document has before it.
    stored.set(key, planned.row);
    return { action: "update", members: ["value"], writes: planned.writes, audits: planned.audits };
  };
  for (const [key, value] of Object.entries(document.settings ?? {}))
    await addStep(plan, "setting", key, step(key, formatSettingText(value)));
  const { groups } = document;
  if (groups !== undefined)
    await addStep(plan, "group", "groups", step("GroupRatio", JSON.stringify(groups)));
  return plan;
}

const formatSettingText = (value: SettingValue): string => {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** The document holds all prices of the operator: one that it lacks is forgotten. */
export async function planPrices(
  { modelPrices: store }: ConfigurationDeps,
  call: AuthenticatedContext,
  { document }: ConfigurationRequest,
): Promise<KindPlan> {
  const plan = emptyPlan("prices");
  const { prices } = document;
  if (prices === undefined) return plan;
  const stored = new Map((await store.all()).map((one) => [one.model, one]));
  for (const [model, wanted] of Object.entries(prices))
    await addStep(plan, "price", model, () => {
      const own = stored.get(model);
      const members = listDifferingPrices(own?.prices ?? {}, wanted);
      if (own && members.length === 0) return undefined;
      return {
        action: own ? "update" : "create",
        members: own ? members : [],
        writes: [store.set(model, wanted, own, call.now)],
        audits: call.audit("model_price.update", model, { from: own?.prices ?? null, to: wanted }),
      };
    });
  for (const own of stored.values()) {
    if (Object.hasOwn(prices, own.model)) continue;
    await addStep(plan, "price", own.model, () => ({
      action: "delete",
      writes: [store.remove(own)],
      audits: call.audit("model_price.delete", own.model, { from: own.prices }),
    }));
  }
  return plan;
}

const listDifferingPrices = (stored: ModelPrices, wanted: ModelPrices): string[] =>
  [...priceNames, "tiers" as const, "max_tokens" as const].filter(
    (name) => !isDeepStrictEqual(stored[name], wanted[name]),
  );

export async function planChannels(
  deps: ConfigurationDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { channels, keys, planEdit, removeReports } = deps;
  const { file } = request;
  const plan = emptyPlan("channels");
  const given = { wanted: request.document.channels, rows: await channels.all() };
  await addFoundSteps(plan, request, given, {
    kind: "channel",
    async step(wanted, row) {
      if (!row) return buildChannel(deps, call, wanted, file);
      const owner = request.adopt ? file : row.managed_by;
      const external_id = row.external_id ?? (owner === file ? readIdentity(wanted) : "");
      const edit = parseOrRefuse(channelChange, {
        ...buildChannelRequest(wanted, row),
        external_id,
        id: row.id,
      });
      const planned = await planEdit(call, row, edit, owner);
      const members = Object.keys(planned.changed);
      if (members.length === 0) return undefined;
      const action = isTakenOver(row, request) ? "adopt" : "update";
      return { action, members, writes: planned.writes, audits: planned.audits };
    },
    remove: (row) => ({
      writes: [channels.remove(row), ...keys.remove([row.uuid]), ...removeReports([row.uuid])],
      audits: call.audit("channel.delete", row.uuid, { name: row.name }),
    }),
  });
  return plan;
}

function buildChannel(
  { channels, keys, seal }: ConfigurationDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredChannel,
  file: string,
): PlannedStep {
  const {
    columns,
    key = "",
    headers,
  } = buildCreatedChannel(
    parseOrRefuse(channelInput, {
      ...buildChannelRequest(wanted, undefined),
      external_id: readIdentity(wanted),
    }),
  );
  checkKey(columns.type, key !== "");
  if (splitKeys(key).length > 1 && !hasSeveralKeys(columns.config)) throw refuse("channel_one_key");
  const uuid = readUuid7(call.now);
  const { name, type, base_url } = columns;
  const made = { uuid, key, columns, headers, createdAt: call.now, managedBy: file, now: call.now };
  return {
    action: "create",
    writes: planChannelWrites({ channels, keys, seal }, made),
    audits: call.audit("channel.create", uuid, { name, type, base_url }),
  };
}
