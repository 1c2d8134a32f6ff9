/** What a configuration document would change: a plan for each kind, in the order in which the kinds depend on each other. */
import { isDeepStrictEqual } from "node:util";
import { channelChange, channelInput } from "@tollgate/contract/channel-input.ts";
import type {
  ConfigurationKind,
  ConfigurationProblem,
  ConfigurationRequest,
  ConfiguredChannel,
  ConfiguredVirtualModel,
  PlannedChange,
  SettingValue,
} from "@tollgate/contract/configuration.ts";
import { type ModelPrices, priceNames } from "@tollgate/contract/model-prices.ts";
import { roles } from "@tollgate/contract/roles.ts";
import type { VirtualModelInput } from "@tollgate/contract/virtual-models.ts";
import type { ChannelEditorDeps, PlanChannelEdit } from "../channels/change-channel.ts";
import { splitKeys } from "../channels/channel-key.ts";
import { hasSeveralKeys } from "../channels/channel-key-rules.ts";
import { checkKey, createdChannel } from "../channels/channel-rules.ts";
import type { ChannelRow } from "../channels/channel-store.ts";
import { newChannelWrites } from "../channels/new-channel-writes.ts";
import { Refusal, refuse } from "../http/refusal.ts";
import type { AuthenticatedContext } from "../http/request-context.ts";
import { parseOrRefuse } from "../http/validation-errors.ts";
import type { ModelPriceStore } from "../models/model-price-store.ts";
import { visibleModels } from "../models/model-rules.ts";
import { checkVirtualModel, columnsOf, otherVirtualModels, storedRules } from "../models/virtual-model-rules.ts";
import type { VirtualModelRow, VirtualModelStore } from "../models/virtual-model-store.ts";
import type { OptionEditor } from "../settings/change-option.ts";
import type { OptionStore } from "../settings/option-store.ts";
import type { ChangeTopic, Write } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { channelRequest, identityOf } from "./configured-channel.ts";

export interface ConfigurationDeps extends ChannelEditorDeps {
  planEdit: PlanChannelEdit;
  virtualModels: VirtualModelStore;
  modelPrices: ModelPriceStore;
  options: OptionStore;
  editor: OptionEditor;
  /** Statements that forget the report keys of deleted channels. */
  removeReports(uuids: readonly string[]): Write[];
}

/** What becomes of one kind: one transaction, all of it or nothing. */
export interface KindPlan {
  topic: ChangeTopic;
  changes: PlannedChange[];
  unchanged: number;
  problems: ConfigurationProblem[];
  writes: Write[];
  /** The chain of the audit trail is locked last, after all rows. */
  audits: Write[];
}

interface PlannedStep {
  action: PlannedChange["action"];
  members?: string[];
  writes: Write[];
  audits: Write[];
}

const emptyPlan = (topic: ChangeTopic): KindPlan => ({
  topic,
  changes: [],
  unchanged: 0,
  problems: [],
  writes: [],
  audits: [],
});

/** A refusal is a problem of this one; the others are planned all the same, so that all problems show at once. */
async function addStep(
  plan: KindPlan,
  kind: ConfigurationKind,
  name: string,
  step: () => PlannedStep | undefined | Promise<PlannedStep | undefined>,
): Promise<void> {
  try {
    const planned = await step();
    if (!planned) {
      plan.unchanged += 1;
      return;
    }
    const { action, members = [], writes, audits } = planned;
    plan.changes.push({ kind, name, action, members });
    plan.writes.push(...writes);
    plan.audits.push(...audits);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    plan.problems.push({ kind, name, code: error.code, message: error.message });
  }
}

/** A row may be changed by its own file, and by another one that takes it over. Returns whether it is taken over. */
function isTakenOver(row: { managed_by: string }, { file, adopt }: ConfigurationRequest): boolean {
  if (row.managed_by === file) return false;
  if (adopt) return true;
  throw refuse("not_of_this_file", {
    message:
      row.managed_by === ""
        ? "This exists already and was made in the console. Apply with --adopt to take it over"
        : `This belongs to the file ${row.managed_by}. Apply with --adopt to take it over`,
  });
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
  const { file, prune } = request;
  const plan = emptyPlan("channels");
  const rows = await channels.all();
  const find = channelFinder(rows);
  const meant = new Set<number>();
  const named = new Set<string>();

  for (const wanted of request.document.channels ?? []) {
    const identity = identityOf(wanted);
    await addStep(plan, "channel", identity, async () => {
      if (named.has(identity)) throw refuse("configuration_twice");
      named.add(identity);
      const row = find(wanted);
      if (!row) return newChannel(deps, call, wanted, file);
      meant.add(row.id);
      const owner = request.adopt ? file : row.managed_by;
      const external_id = row.external_id ?? (owner === file ? identity : "");
      const edit = parseOrRefuse(channelChange, { ...channelRequest(wanted, row), external_id, id: row.id });
      const planned = await planEdit(call, row, edit, owner);
      const members = Object.keys(planned.changed);
      if (members.length === 0) return undefined;
      const action = isTakenOver(row, request) ? "adopt" : "update";
      return { action, members, writes: planned.writes, audits: planned.audits };
    });
  }

  for (const row of rows.filter(({ id, managed_by }) => managed_by === file && !meant.has(id)))
    await addStep(plan, "channel", row.external_id ?? row.name, () => ({
      action: prune ? "delete" : "left",
      writes: prune ? [channels.remove(row), ...keys.remove([row.uuid]), ...removeReports([row.uuid])] : [],
      audits: prune ? call.audit("channel.delete", row.uuid, { name: row.name }) : [],
    }));
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

/** By external id; else one without an external id by its uuid or by its name, as an export writes it. */
function channelFinder(rows: readonly ChannelRow[]): (wanted: ConfiguredChannel) => ChannelRow | undefined {
  const unnamed = rows.filter(({ external_id }) => external_id === null);
  const byExternalId = new Map(rows.flatMap((row) => (row.external_id === null ? [] : [[row.external_id, row]])));
  const byUuid = new Map(unnamed.map((row) => [row.uuid, row]));
  const byName = Map.groupBy(unnamed, ({ name }) => name);
  return (wanted) => {
    const identity = identityOf(wanted);
    const found = byExternalId.get(identity) ?? byUuid.get(identity);
    if (found || wanted.externalId !== undefined) return found;
    const [first, ...others] = byName.get(identity) ?? [];
    if (others.length > 0) throw refuse("configuration_ambiguous");
    return first;
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

  for (const row of leaving)
    await addStep(plan, "virtual_model", row.name, () => ({
      action: prune ? "delete" : "left",
      writes: prune ? [store.remove(row)] : [],
      audits: prune ? call.audit("virtual_model.delete", row.uuid, { name: row.name }) : [],
    }));
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
