/** What a configuration document would change: a plan for each kind, in the order in which the kinds depend on each other. */
import { isDeepStrictEqual } from "node:util";
import { channelChange, channelInput } from "@tollgate/contract/channel-input.ts";
import type {
  ConfigurationRequest,
  ConfiguredChannel,
  ConfiguredVirtualModel,
  SettingValue,
} from "@tollgate/contract/configuration.ts";
import { type ModelPrices, priceNames } from "@tollgate/contract/model-prices.ts";
import { roles } from "@tollgate/contract/roles.ts";
import type { VirtualModelInput } from "@tollgate/contract/virtual-models.ts";
import type { BudgetStore } from "../budgets/budget-store.ts";
import type { BudgetTemplateStore } from "../budgets/budget-template-store.ts";
import type { ChannelEditorDeps, PlanChannelEdit } from "../channels/change-channel.ts";
import { splitKeys } from "../channels/channel-key.ts";
import { hasSeveralKeys } from "../channels/channel-key-rules.ts";
import { checkKey, createdChannel } from "../channels/channel-rules.ts";
import { newChannelWrites } from "../channels/new-channel-writes.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { parseOrRefuse } from "../http/validation-errors.ts";
import type { OidcProviderStore } from "../identity/oidc/oidc-provider-store.ts";
import type { McpServerStore } from "../mcp-servers/mcp-server-store.ts";
import type { ModelPriceStore } from "../models/model-price-store.ts";
import { visibleModels } from "../models/model-rules.ts";
import { checkVirtualModel, columnsOf, otherVirtualModels, storedRules } from "../models/virtual-model-rules.ts";
import type { VirtualModelRow, VirtualModelStore } from "../models/virtual-model-store.ts";
import type { OptionEditor } from "../settings/change-option.ts";
import type { OptionStore } from "../settings/option-store.ts";
import type { Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { channelRequest } from "./configured-channel.ts";
import {
  addFoundSteps,
  addLeavingSteps,
  addStep,
  emptyPlan,
  identityOf,
  isTakenOver,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";

export interface ConfigurationDeps extends ChannelEditorDeps {
  planEdit: PlanChannelEdit;
  virtualModels: VirtualModelStore;
  modelPrices: ModelPriceStore;
  mcpServers: McpServerStore;
  /** Why the address of an MCP server must not be called. */
  mcpAddressIssue(url: string): string | undefined;
  oidcProviders: OidcProviderStore;
  /** Without it no provider can be on: people could not come back. */
  hasPublicUrl: boolean;
  budgets: BudgetStore;
  budgetTemplates: BudgetTemplateStore;
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
    await addStep(plan, "setting", key, step(key, settingText(value)));
  const { groups } = document;
  if (groups !== undefined) await addStep(plan, "group", "groups", step("GroupRatio", JSON.stringify(groups)));
  return plan;
}

const settingText = (value: SettingValue): string => {
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
      const members = differingPrices(own?.prices ?? {}, wanted);
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

const differingPrices = (stored: ModelPrices, wanted: ModelPrices): string[] =>
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
      if (!row) return newChannel(deps, call, wanted, file);
      const owner = request.adopt ? file : row.managed_by;
      const external_id = row.external_id ?? (owner === file ? identityOf(wanted) : "");
      const edit = parseOrRefuse(channelChange, { ...channelRequest(wanted, row), external_id, id: row.id });
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

function newChannel(
  { channels, keys, seal }: ConfigurationDeps,
  call: AuthenticatedContext,
  wanted: ConfiguredChannel,
  file: string,
): PlannedStep {
  const {
    columns,
    key = "",
    headers,
  } = createdChannel(
    parseOrRefuse(channelInput, { ...channelRequest(wanted, undefined), external_id: identityOf(wanted) }),
  );
  checkKey(columns.type, key !== "");
  if (splitKeys(key).length > 1 && !hasSeveralKeys(columns.config)) throw refuse("channel_one_key");
  const uuid = uuid7(call.now);
  const { name, type, base_url } = columns;
  const made = { uuid, key, columns, headers, createdAt: call.now, managedBy: file, now: call.now };
  return {
    action: "create",
    writes: newChannelWrites({ channels, keys, seal }, made),
    audits: call.audit("channel.create", uuid, { name, type, base_url }),
  };
}

export async function planVirtualModels(
  { virtualModels: store }: ConfigurationDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<KindPlan> {
  const { file, prune, document } = request;
  const plan = emptyPlan("channels");
  const rows = await store.all();
  // What the document's channels will serve counts already: they are written first.
  const ofChannels = (document.channels ?? []).flatMap(({ models = [] }) => models);
  const served = new Set([...(await store.servedModels()).flatMap(visibleModels), ...ofChannels]);
  const wantedNames = new Set((document.virtualModels ?? []).map(({ name }) => name));
  const leaving = rows.filter((row) => row.managed_by === file && !wantedNames.has(row.name));
  // As they will be: a name may move from one virtual model to the targets of another in one run.
  const after = new Map(rows.filter((row) => !prune || !leaving.includes(row)).map((row) => [row.name, row]));
  const named = new Set<string>();
  const steps: [ConfiguredVirtualModel, VirtualModelRow | undefined][] = [];
  for (const wanted of document.virtualModels ?? []) {
    const row = after.get(wanted.name);
    steps.push([wanted, row]);
    after.set(wanted.name, { ...(row ?? draftRow), ...columnsOf(inputOf(wanted)) });
  }

  await addLeavingSteps(plan, leaving, prune, {
    kind: "virtual_model",
    remove: (row) => ({
      writes: [store.remove(row)],
      audits: call.audit("virtual_model.delete", row.uuid, { name: row.name }),
    }),
  });
  for (const [wanted, row] of steps)
    await addStep(plan, "virtual_model", wanted.name, () => {
      if (named.has(wanted.name)) throw refuse("configuration_twice");
      named.add(wanted.name);
      const input = inputOf(wanted);
      const others = otherVirtualModels([...after.values()].filter(({ name }) => name !== wanted.name));
      checkVirtualModel(input, served, others);
      const columns = columnsOf(input);
      const columnsAfter = { ...columns, managed_by: file };
      if (!row) {
        const uuid = uuid7(call.now);
        return {
          action: "create",
          writes: [store.insert({ uuid, ...columnsAfter, created_at: call.now, updated_at: call.now })],
          audits: call.audit("virtual_model.create", uuid, columns),
        };
      }
      // Rules that mean the same may be stored in another order of their members.
      const before = columnsOf({ ...rulesInOrder(row), name: row.name, ...flagsOf(row) });
      const differing = (Object.keys(columns) as (keyof typeof columns)[]).filter(
        (name) => before[name] !== columns[name],
      );
      const isAdopted = request.adopt && row.managed_by !== file;
      if (differing.length === 0 && !isAdopted) return undefined;
      const action = isTakenOver(row, request) ? "adopt" : "update";
      const updated_at = Math.max(call.now, row.updated_at + 1);
      return {
        action,
        members: differing,
        writes: [store.update(row, { ...columnsAfter, updated_at })],
        audits: call.audit("virtual_model.update", row.uuid, columns),
      };
    });
  return plan;
}

/** A virtual model that does not exist yet, among those that do. */
const draftRow = { id: 0, uuid: "", managed_by: "", created_at: 0, updated_at: 0 };

const inputOf = (wanted: ConfiguredVirtualModel): VirtualModelInput => ({
  name: wanted.name,
  enabled: wanted.enabled,
  replaces_model: wanted.replacesModel,
  tiers: wanted.tiers,
  sticky: wanted.sticky,
  access: wanted.access,
  retries_refused_content: wanted.retriesRefusedContent,
});

export const flagsOf = (row: VirtualModelRow) => ({
  enabled: row.enabled === 1,
  replaces_model: row.replaces_model === 1,
});

const rulesInOrder = (row: VirtualModelRow) => {
  const { tiers, sticky, access, retries_refused_content } = storedRules(row);
  return { tiers, sticky, access, retries_refused_content };
};
