/** API routes for models, their prices and the groups that may use them. */
import { listDisplayedModels } from "@tollgate/contract/models.ts";
import { listAvailableModels, listGroups, listUserModels } from "@tollgate/contract/users.ts";
import { offeredGroups, openGroups } from "../groups/group-rules.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { PriceBook } from "../money/price-book.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import { createModelCatalogue } from "./model-catalogue.ts";
import { namesIn, visibleModels } from "./model-rules.ts";
import { storedRules, targetsOf } from "./virtual-model-rules.ts";

export function modelRoutes(db: Database, options: OptionReader, book: PriceBook): ApiRoute[] {
  const { sql, read } = db;
  const displayed = createModelCatalogue(db, book);
  const usableModels = async (groups: readonly string[]): Promise<string[]> => {
    const channels = await read(
      sql.selectFrom("channels").select(["models", "hidden_models", "group"]).where("status", "=", 1),
    );
    const usable = channels
      .filter(({ group }) => namesIn(group).some((name) => groups.includes(name)))
      .flatMap(visibleModels);
    const virtual = await read(sql.selectFrom("virtual_models").select(["name", "rules"]).where("enabled", "=", 1));
    const served = new Set(usable);
    for (const row of virtual) {
      if (targetsOf(storedRules(row)).some((model) => usable.includes(model))) served.add(row.name);
      // Calls to its name never reach the channels that list it.
      else served.delete(row.name);
    }
    return [...served].sort();
  };
  return [
    apiRoute(listGroups, () => offeredGroups(options)),
    ...[listAvailableModels, listUserModels].map((endpoint) =>
      apiRoute(endpoint, ({ principal: { group }, query: { groups = "" } }) =>
        usableModels(groups === "" ? [group] : openGroups(options, group, groups.split(","))),
      ),
    ),
    apiRoute(listDisplayedModels, ({ principal }) => displayed(principal)),
  ];
}
