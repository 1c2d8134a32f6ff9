/** A database of the one-api family as a source of an import. */

import * as z from "zod/mini";
import type {
  ImportSource,
  Reading,
  SourceChannel,
  SourceCode,
  SourceOption,
  SourceToken,
  SourceUser,
} from "../import-items.ts";
import { formatSourceText } from "../sources/source-fields.ts";
import { buildRows, ImportRefused, type SourceTables } from "../sources/source-tables.ts";
import { listTablesNotCarried } from "../tables-not-carried.ts";
import { type AnsweredPrices, addAnsweredPrices } from "./answered-prices.ts";
import { callColumns, isCharge, readCall } from "./family-calls.ts";
import { channelColumns, readChannel } from "./family-channels.ts";
import { codeColumns, readCode } from "./family-codes.ts";
import { buildFamilyKind, type ColumnsByTable, familyTables, systemNames } from "./family-kind.ts";
import { readCharges, readLogs } from "./family-logs.ts";
import { readOption } from "./family-options.ts";
import { buildFamilyPrices, parseRatios } from "./family-prices.ts";
import { parseGroupList, readToken, tokenColumns } from "./family-tokens.ts";
import { readUser, userColumns } from "./family-users.ts";
import { readAcceptedGroup } from "./group-names.ts";

/** Tables without a counterpart here: counted for the report, as far as one page goes. */
const otherTables = [
  "mcp_servers",
  "passkey_credentials",
  "payment_orders",
  "top_ups",
  "user_subscriptions",
  "checkins",
  "midjourneys",
  "tasks",
  "prefill_groups",
  "custom_oauth_providers",
  "user_oauth_bindings",
] as const;

const optionsMax = 5_000;
const optionText = formatSourceText(1_000_000);
/** `usualQuotaPerUnit` is what every balance, code and price of the family counts in. */
const usualQuotaPerUnit = 500_000;

export interface FamilySettings {
  /** `answeredPrices` are what the running server answers, above what its database holds. */
  answeredPrices?: AnsweredPrices | undefined;
  now: number;
}

export async function openFamilySource(
  tables: SourceTables,
  { answeredPrices, now }: FamilySettings,
): Promise<ImportSource> {
  const columns = Object.fromEntries(
    await Promise.all(
      familyTables.map(async (table) => [table, await tables.columns(table)] as const),
    ),
  ) as ColumnsByTable;
  const kind = buildFamilyKind(columns);
  const options = await readOptions(tables);
  requireUsualUnit(options);
  if (answeredPrices && kind === "laisky-one-api")
    throw new ImportRefused(
      "--prices-from is for one-api and new-api: this source keeps prices by channel",
    );
  const prices = buildFamilyPrices(
    answeredPrices ? addAnsweredPrices(options, answeredPrices) : options,
  );
  const factors = await readFactors(tables);
  const siteGroups = parseGroupList(options.get("AutoGroups") ?? "");

  async function* read<Item>(
    table: string,
    names: readonly string[],
    toItem: (row: Readonly<Record<string, unknown>>) => Reading<Item>,
  ): AsyncGenerator<readonly Reading<Item>[]> {
    for await (const rows of buildRows(tables, table, { columns: names, key: "id" }))
      yield rows.map(toItem);
  }

  return {
    system: systemNames[kind],
    label: tables.label,
    siteLosses: () =>
      listTablesNotCarried(
        tables,
        otherTables.map((table) => [table, "id"] as const),
      ),
    async reach() {
      const hasCodes = columns.redemptions.has("id");
      const database = ["database"];
      return {
        parts: {
          user: database,
          token: database,
          channel: database,
          ...(hasCodes && { code: database }),
        },
        made: [],
      };
    },
    async groupRatios() {
      const ratios = parseRatios(options.get("GroupRatio") ?? '{"default":1,"vip":1,"svip":1}');
      return Object.fromEntries(
        [...ratios].map(([group, ratio]) => [readAcceptedGroup(group), ratio]),
      );
    },
    async *options() {
      yield [...options].map(([key, value]): Reading<SourceOption> => readOption(key, value));
    },
    users: () =>
      read<SourceUser>("users", userColumns, (row) => readUser(kind, row, (id) => factors.get(id))),
    channels: () =>
      read<SourceChannel>("channels", channelColumns, (row) => readChannel(kind, prices, row)),
    async *teams() {
      // Its groups are prices and channels, as they are here: nobody shares a wallet.
    },
    async *virtualModels() {
      // The family has none.
    },
    tokens: () =>
      read<SourceToken>("tokens", tokenColumns, (row) => readToken(kind, row, siteGroups)),
    codes: () => read<SourceCode>("redemptions", codeColumns, (row) => readCode(row, now)),
    async *lastCalls() {
      const newest = buildRows(tables, "logs", {
        columns: callColumns,
        key: "id",
        isDescending: true,
      });
      for await (const rows of newest)
        yield rows.map((row) => (isCharge(row) ? readCall(kind, row) : undefined));
    },
    lastCharges: () => readCharges(tables),
    logs: (afterId) => readLogs(tables, { kind, afterId, now }),
  };
}

async function readOptions(tables: SourceTables): Promise<ReadonlyMap<string, string>> {
  const options = new Map<string, string>();
  for await (const rows of buildRows(tables, "options", { columns: ["value"], key: "key" })) {
    for (const row of rows) {
      const [key, value] = [row.key, row.value ?? null].map((field) =>
        z.safeParse(optionText, field),
      );
      if (key?.success && value?.success) options.set(key.data, value.data);
    }
    if (options.size > optionsMax)
      throw new ImportRefused(`the table options has more than ${optionsMax} rows`);
  }
  return options;
}

/**
 * `requireUsualUnit` says whether dollars or numbers are to stay is the operator's decision, and
 * prices would have to follow it.
 */
function requireUsualUnit(options: ReadonlyMap<string, string>): void {
  const text = options.get("QuotaPerUnit") ?? "";
  if (text === "" || Number(text) === usualQuotaPerUnit) return;
  throw new ImportRefused(
    `QuotaPerUnit of the source is ${text.slice(0, 40)}, and only ${usualQuotaPerUnit} to the dollar can be imported`,
  );
}

/** The seeds of new-api's second factors that are on, by user. */
async function readFactors(tables: SourceTables): Promise<ReadonlyMap<number, string>> {
  const factors = new Map<number, string>();
  const columns = ["user_id", "secret", "is_enabled", "deleted_at"];
  for await (const rows of buildRows(tables, "two_fas", { columns, key: "id" })) {
    for (const { user_id, secret, is_enabled, deleted_at } of rows) {
      const isOn = ["1", "t", "true"].includes(String(is_enabled)) && (deleted_at ?? null) === null;
      if (isOn) factors.set(Number(user_id), typeof secret === "string" ? secret : "!");
    }
  }
  return factors;
}
