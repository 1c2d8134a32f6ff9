/** The groups that there are once a configuration document is applied. */
import type { ConfigurationRequest } from "@tollgate/contract/commands/configuration.ts";
import { optionDefaults } from "../../settings/option-defaults.ts";
import type { OptionStore } from "../../settings/option-store.ts";

/**
 * `listGroups` gives those that the document gives the gateway count already: they are written
 * first.
 */
export async function listGroups(
  { options }: { options: OptionStore },
  { document }: ConfigurationRequest,
): Promise<string[]> {
  if (document.groups) return Object.keys(document.groups);
  const ratios = (await options.all()).get("GroupRatio")?.value ?? optionDefaults.GroupRatio;
  return Object.keys(JSON.parse(ratios) as object);
}
