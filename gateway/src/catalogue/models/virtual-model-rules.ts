/** Rules for creating, changing and showing virtual models. Pure. */
import {
  type VirtualModel as Shown,
  type VirtualModelChange,
  type VirtualModelInput,
  type VirtualModelRules,
  virtualModelRules,
  virtualModelsMax,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import * as z from "zod/mini";
import { checkFileAllows } from "../../http/managed-by-file.ts";
import { refuse } from "../../http/refusal.ts";
import type { VirtualModelRow } from "./virtual-model-store.ts";

/** Throws for a row that holds no rules: none is written by this program. */
export const parseStoredRules = ({ rules }: Pick<VirtualModelRow, "rules">): VirtualModelRules =>
  z.parse(virtualModelRules, JSON.parse(rules));

export const listTargets = ({ tiers }: Pick<VirtualModelRules, "tiers">): string[] =>
  tiers.flatMap(({ targets }) => targets.map(({ model }) => model));

/** The names that other virtual models have and point to. */
export interface OtherVirtualModels {
  count: number;
  names: ReadonlySet<string>;
  targets: ReadonlySet<string>;
}

export const buildOtherVirtualModels = (
  rows: readonly VirtualModelRow[],
  ownId?: number,
): OtherVirtualModels => {
  const others = rows.filter(({ id }) => id !== ownId);
  return {
    count: others.length,
    names: new Set(others.map(({ name }) => name)),
    targets: new Set(others.flatMap((row) => listTargets(parseStoredRules(row)))),
  };
};

/**
 * Throws a refusal where the name would hide a model without the administrator's word for it, and
 * where one virtual model would lead to another. A virtual model may have its own name among its
 * targets: there it is the real model.
 */
export function checkVirtualModel(
  { name, replaces_model, tiers }: Pick<VirtualModelInput, "name" | "replaces_model" | "tiers">,
  served: Pick<ReadonlySet<string>, "has">,
  others: OtherVirtualModels,
): void {
  if (others.count >= virtualModelsMax) throw refuse("virtual_models_full");
  if (others.names.has(name)) throw refuse("virtual_model_name_taken");
  if (served.has(name) && !replaces_model) throw refuse("virtual_model_replaces");
  const isChained =
    others.targets.has(name) || listTargets({ tiers }).some((model) => others.names.has(model));
  if (isChained) throw refuse("virtual_model_chained");
}

export const buildColumns = ({ name, enabled, replaces_model, ...rules }: VirtualModelInput) => ({
  name,
  enabled: enabled ? (1 as const) : (0 as const),
  replaces_model: replaces_model ? (1 as const) : (0 as const),
  rules: JSON.stringify(rules),
});

export function changeVirtualModel(
  row: VirtualModelRow,
  change: VirtualModelChange,
): VirtualModelInput {
  if (change.updated_at !== undefined && change.updated_at !== row.updated_at)
    throw refuse("changed_meanwhile");
  checkFileAllows(row, change);
  const rules = parseStoredRules(row);
  return {
    name: change.name ?? row.name,
    enabled: change.enabled ?? row.enabled === 1,
    replaces_model: change.replaces_model ?? row.replaces_model === 1,
    tiers: change.tiers ?? rules.tiers,
    sticky: change.sticky ?? rules.sticky,
    access: change.access ?? rules.access,
    retries_refused_content: change.retries_refused_content ?? rules.retries_refused_content,
  };
}

export function viewVirtualModel(
  row: VirtualModelRow,
  served: Pick<ReadonlySet<string>, "has">,
): Shown {
  const rules = parseStoredRules(row);
  return {
    id: row.id,
    uuid: row.uuid,
    name: row.name,
    enabled: row.enabled === 1,
    replaces_model: row.replaces_model === 1,
    ...rules,
    managed_by: row.managed_by,
    unserved: listTargets(rules).filter((model) => !served.has(model)),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}
