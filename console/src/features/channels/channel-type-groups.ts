import {
  channelTypes,
  findChannelType,
  channelTypeIds as ids,
} from "@tollgate/contract/catalogue/channel-types.ts";

/** The most used types, in the order shown. */
const common: readonly number[] = [
  ids.openAi,
  ids.compatible,
  ids.anthropic,
  ids.gemini,
  ids.azure,
  ids.bedrock,
  ids.vertex,
  ids.deepSeek,
];
const legacyProxies: readonly number[] = [
  ids.api2d,
  ids.closeAi,
  ids.openAiSb,
  ids.openAiMax,
  ids.ohMyGpt,
  ids.aiLs,
  ids.aiProxy,
  ids.api2Gpt,
  ids.aigc2d,
];

export type ChannelTypeGroup = "common" | "more" | "legacy" | "gone";

/**
 * `listTypesByGroup` gives all types in four groups. A type that is discontinued or not served is
 * listed only for a channel that has it.
 */
export function listTypesByGroup(
  current: number,
  features: readonly string[] | undefined,
): { group: ChannelTypeGroup; types: { id: number; name: string }[] }[] {
  // A server without a list of features serves what the family serves.
  const isServed = (id: number) =>
    id !== ids.proxy || features === undefined || features.includes("proxy_channels");
  const groupOf = (id: number, gone: boolean): ChannelTypeGroup => {
    if (gone) return "gone";
    if (common.includes(id)) return "common";
    return legacyProxies.includes(id) ? "legacy" : "more";
  };
  const grouped: Record<ChannelTypeGroup, { id: number; name: string }[]> = {
    common: [],
    more: [],
    legacy: [],
    gone: [],
  };
  for (const { id, name, gone } of channelTypes) {
    if ((!gone && isServed(id)) || id === current) grouped[groupOf(id, gone)].push({ id, name });
  }
  // A compatible server may have types that the contract does not list.
  if (current > 0 && findChannelType(current) === undefined)
    grouped.more.push({ id: current, name: String(current) });
  grouped.common.sort((a, b) => common.indexOf(a.id) - common.indexOf(b.id));
  grouped.more.sort((a, b) => a.name.localeCompare(b.name, "en"));
  return (["common", "more", "legacy", "gone"] as const)
    .map((group) => ({ group, types: grouped[group] }))
    .filter(({ types }) => types.length > 0);
}
