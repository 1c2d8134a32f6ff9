/**
 * Fallbacks of LiteLLM's router as virtual models, and its aliases as further names of deployments.
 * Pure.
 */

import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { targetsMax, tiersMax } from "@tollgate/contract/catalogue/virtual-models.ts";
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import type { Loss, Reading, SourceVirtualModel } from "../import-items.ts";
import type { LitellmConfiguration } from "./litellm-config-file.ts";
import type { LitellmDeployment } from "./litellm-deployments.ts";

/** Names by alias. The router takes an alias before a model of the same name. */
export function collectAliases({ settings }: LitellmConfiguration): ReadonlyMap<string, string> {
  const stated = settings.get("router_settings")?.model_group_alias;
  const aliases = new Map<string, string>();
  for (const [alias, target] of Object.entries(isJsonRecord(stated) ? stated : {})) {
    const model = isJsonRecord(target) ? target.model : target;
    if (typeof model === "string" && model !== alias) aliases.set(alias, model);
  }
  return aliases;
}

/**
 * An alias is a name that the deployments of its model have besides: calls, prices and fallbacks
 * are theirs. Deployments of a model that an alias hides serve nothing there, and so they have no
 * name here.
 */
export function addAliases(
  deployments: readonly LitellmDeployment[],
  aliases: ReadonlyMap<string, string>,
): readonly LitellmDeployment[] {
  const reachable = deployments.filter(({ publicName }) => !aliases.has(publicName));
  return [
    ...reachable,
    ...[...aliases].flatMap(([alias, model]) =>
      deployments
        .filter(({ publicName }) => publicName === model)
        .map((deployment) => ({
          ...deployment,
          id: `${deployment.id} as ${alias}`,
          publicName: alias,
        })),
    ),
  ];
}

type Fallbacks = ReadonlyMap<string, readonly string[]>;

/** `[{ model: [others] }, …]`; what has another form is left out. */
function buildFallbacks({ settings }: LitellmConfiguration, member: string): Fallbacks {
  const found = new Map<string, readonly string[]>();
  for (const section of ["router_settings", "litellm_settings"]) {
    const list = settings.get(section)?.[member];
    for (const entry of Array.isArray(list) ? list : [])
      for (const [model, others] of Object.entries(isJsonRecord(entry) ? entry : {}))
        if (Array.isArray(others) && !found.has(model))
          found.set(
            model,
            others.map((other) => (typeof other === "string" ? other : "")),
          );
  }
  return found;
}

/** Fallbacks of an alias are those of its model. */
export function listVirtualModels(
  configuration: LitellmConfiguration,
  aliases: ReadonlyMap<string, string>,
): Reading<SourceVirtualModel>[] {
  const fallbacks = buildFallbacks(configuration, "fallbacks");
  const forContent = buildFallbacks(configuration, "content_policy_fallbacks");
  const forLength = buildFallbacks(configuration, "context_window_fallbacks");
  const names = new Set([...fallbacks.keys(), ...forContent.keys(), ...forLength.keys()]);
  const readings = [...names].map((name) =>
    buildVirtualModel(name, {
      general: fallbacks.get(name),
      content: forContent.get(name),
      length: forLength.get(name),
    }),
  );
  const ofAliases = [...aliases].flatMap(([alias, model]) => {
    const general = fallbacks.get(model);
    return general && !names.has(alias)
      ? [buildVirtualModel(alias, { general, content: forContent.get(model), length: undefined })]
      : [];
  });
  return [...readings, ...ofAliases];
}

interface StatedFallbacks {
  general: readonly string[] | undefined;
  content: readonly string[] | undefined;
  length: readonly string[] | undefined;
}

function buildVirtualModel(
  name: string,
  { general, content, length }: StatedFallbacks,
): Reading<SourceVirtualModel> {
  const losses: Loss[] = [];
  const lose = (reason: ImportLossReason, field: string, others: readonly string[]) => {
    losses.push({ entity: "model", sourceId: name, name, field, reason, value: others.join(", ") });
  };
  const isSame = (others: readonly string[]): boolean =>
    JSON.stringify(others) === JSON.stringify(general);
  if (content && !isSame(content))
    lose("fallbacks_not_carried", "content_policy_fallbacks", content);
  // A prompt that is too long for one target goes to the next here without being told.
  if (length && !isSame(length)) lose("fallbacks_not_carried", "context_window_fallbacks", length);
  if (!general) return { sourceId: name, item: undefined, losses };
  const others = [...new Set(general)].filter((other) => other !== name);
  const isPattern = [name, ...others].some((one) => one.includes("*") || one === "");
  if (isPattern || others.length === 0) {
    lose("fallbacks_not_carried", "fallbacks", general);
    return { sourceId: name, item: undefined, losses };
  }
  const alone = others.slice(0, tiersMax - 2);
  const together = others.slice(tiersMax - 2);
  if (together.length > 2) lose("fallback_order", "fallbacks", together.slice(1));
  if (together.length > targetsMax)
    lose("fallbacks_not_carried", "fallbacks", together.slice(targetsMax));
  const targets = [
    [{ model: name, weight: 1 }],
    ...alone.map((model) => [{ model, weight: 1 }]),
    // Weight 0 serves where no other target of the tier can.
    together.slice(0, targetsMax).map((model, index) => ({ model, weight: index === 0 ? 1 : 0 })),
  ].filter((tier) => tier.length > 0);
  const item: SourceVirtualModel = {
    name,
    // Keys that may call the model are served by its fallbacks, whatever their list says of those:
    // as there.
    input: {
      name,
      replaces_model: true,
      tiers: targets.map((tier) => ({ strategy: "weights", targets: tier })),
      sticky: "none",
      access: "name",
      retries_refused_content: content !== undefined && isSame(content),
    },
  };
  return { sourceId: name, item, losses };
}
