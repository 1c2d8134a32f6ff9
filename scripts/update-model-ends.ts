/**
 * Writes gateway/src/catalogue/models/model-ends.json: the days on which providers end the models
 * in the price lists. `node scripts/update-model-ends.ts --file FILE --source SOURCE` takes them from a file in the
 * format of LiteLLM's `model_prices_and_context_window.json`; SOURCE names the package that it
 * comes from.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { ModelEndData } from "../gateway/src/catalogue/models/known-model-ends.ts";
import { readPriceLists } from "../gateway/src/money/prices/price-lists.ts";
import { litellmNames, litellmOptions } from "./litellm-names.ts";
import { readScriptOptions } from "./script-options.ts";

const {
  values: { file, source },
} = readScriptOptions({
  command: "node scripts/update-model-ends.ts",
  summary: "writes the days on which providers end the models in the price lists",
  options: litellmOptions,
});
if (file === "" || source === "") throw new Error("--file and --source are needed");
const stated = JSON.parse(readFileSync(file, "utf8")) as Record<
  string,
  { deprecation_date?: unknown }
>;
const day = /^20\d\d-\d\d-\d\d$/;

/** The best name alone: under the others stand hosts, which end a model on days of their own. */
function endOf([name = ""]: readonly string[]): string | undefined {
  const date = stated[name]?.deprecation_date;
  return typeof date === "string" && day.test(date) ? date : undefined;
}

const sellers = [...readPriceLists()].flatMap(([seller, list]) => {
  const found = [...list.keys()].flatMap((model): [string, string][] => {
    const end = endOf(litellmNames[seller]?.(model) ?? []);
    return end === undefined ? [] : [[model, end]];
  });
  return found.length === 0
    ? []
    : [[seller, Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))] as const];
});
const data: ModelEndData = {
  source,
  read_on: new Date().toISOString().slice(0, 10),
  sellers: Object.fromEntries(sellers),
};
writeFileSync(
  new URL("../gateway/src/catalogue/models/model-ends.json", import.meta.url),
  `${JSON.stringify(data, null, 1)}\n`,
);
for (const [seller, models] of sellers)
  console.log(`${seller}: ${Object.keys(models).length} models`);
