/** API routes for models, their prices and the groups that may use them. */

import {
  listAvailableModels,
  listGroups,
  listUserModels,
} from "@tollgate/contract/accounts/users.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import type { PriceBook } from "../../money/prices/price-book.ts";
import { listOfferedGroups, openGroups } from "../../settings/group-rules.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { listVisibleModels, parseNames } from "./model-rules.ts";
import { listTargets, parseStoredRules } from "./virtual-model-rules.ts";

export function buildModelRoutes(db: Database, options: OptionReader, book: PriceBook): ApiRoute[] {
  const { sql, read } = db;
  const displayed = createModelCatalogue(db, book);
  const usableModels = async (groups: readonly string[]): Promise<string[]> => {
    const channels = await read(
      sql
        .selectFrom("channels")
        .select(["type", "models", "hidden_models", "model_mapping", "group"])
        .where("status", "=", 1),
    );
    const usable = channels
      .filter(({ group }) => parseNames(group).some((name) => groups.includes(name)))
      .flatMap(listVisibleModels);
    const virtual = await read(
      sql.selectFrom("virtual_models").select(["name", "rules"]).where("enabled", "=", 1),
    );
    const served = new Set(usable);
    for (const row of virtual) {
      if (listTargets(parseStoredRules(row)).some((model) => usable.includes(model)))
        served.add(row.name);
      // Calls to its name never reach the channels that list it.
      else served.delete(row.name);
    }
    return [...served].sort();
  };
  return [
    apiRoute(listGroups, () => listOfferedGroups(options)),
    ...[listAvailableModels, listUserModels].map((endpoint) =>
      apiRoute(endpoint, ({ principal: { group }, query: { groups = "" } }) =>
        usableModels(groups === "" ? [group] : openGroups(options, group, groups.split(","))),
      ),
    ),
    apiRoute(listDisplayedModels, ({ principal }) => displayed(principal)),
  ];
}
