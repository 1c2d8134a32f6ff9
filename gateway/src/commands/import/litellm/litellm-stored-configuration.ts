/** What LiteLLM keeps of its configuration in its database: deployments, credentials, settings. */
import * as z from "zod/mini";
import { fillRow, formatSourceText, sourceFlag } from "../sources/source-fields.ts";
import {
  buildRows,
  ImportRefused,
  type SourceRow,
  type SourceTables,
} from "../sources/source-tables.ts";
import type { LitellmConfiguration } from "./litellm-config-file.ts";
import { buildNestedObject } from "./litellm-fields.ts";
import type { LitellmSecrets } from "./litellm-secrets.ts";

/** Rows of one table that are read whole. */
const storedRowsMax = 20_000;

const modelShape = {
  model_id: formatSourceText(400),
  model_name: formatSourceText(2_000),
  litellm_params: formatSourceText(1_000_000),
  model_info: formatSourceText(1_000_000),
  blocked: sourceFlag,
};
const modelRow = z.object(modelShape);

/** A row that cannot be read has no name, which costs it a line later. */
function buildModel(row: SourceRow): z.output<typeof modelRow> {
  const { success, data } = z.safeParse(modelRow, fillRow(row, modelShape));
  if (success) return data;
  return {
    model_id: String(row.model_id),
    model_name: "",
    litellm_params: "",
    model_info: "",
    blocked: true,
  };
}

/**
 * `readStoredConfiguration` reads all of it before anything is written: a secret that does not open
 * is to be found first.
 */
export async function readStoredConfiguration(
  tables: SourceTables,
  secrets: LitellmSecrets,
): Promise<LitellmConfiguration> {
  const models = (
    await listAllRows(tables, "LiteLLM_ProxyModelTable", Object.keys(modelShape), "model_id")
  ).map(buildModel);
  const credentialRows = await listAllRows(
    tables,
    "LiteLLM_CredentialsTable",
    ["credential_values"],
    "credential_name",
  );
  const settings = new Map(
    (await listAllRows(tables, "LiteLLM_Config", ["param_value"], "param_name")).map((row) => [
      String(row.param_name),
      buildNestedObject(row.param_value),
    ]),
  );
  const environmentRow = settings.get("environment_variables") ?? {};
  settings.delete("environment_variables");
  const sealed = [
    ...models.map(({ model_name, litellm_params }) => ({
      "": model_name,
      ...buildNestedObject(litellm_params),
    })),
    ...credentialRows.map(({ credential_values }) => buildNestedObject(credential_values)),
    environmentRow,
  ];
  const clear = openRecords(secrets, sealed);
  return {
    deployments: models.map(({ model_id, model_info, blocked }, index) => {
      const { "": publicName, ...params } = clear[index] ?? {};
      return {
        id: model_id,
        publicName: String(publicName),
        params,
        info: buildNestedObject(model_info),
        isBlocked: blocked,
      };
    }),
    credentials: new Map(
      credentialRows.map(({ credential_name }, index) => [
        String(credential_name),
        clear[models.length + index] ?? {},
      ]),
    ),
    environment: new Map(
      Object.entries(clear.at(-1) ?? {}).map(([name, value]) => [name, String(value)]),
    ),
    settings,
  };
}

/** The records with every text in clear: whichever of them LiteLLM has sealed. */
function openRecords(
  secrets: LitellmSecrets,
  records: readonly Readonly<Record<string, unknown>>[],
): Record<string, unknown>[] {
  const texts = records.flatMap((record) =>
    Object.values(record).filter((value) => typeof value === "string"),
  );
  const opened = secrets.openAll(texts).values();
  return records.map((record) =>
    Object.fromEntries(
      Object.entries(record).map(([name, value]) => [
        name,
        typeof value === "string" ? opened.next().value : value,
      ]),
    ),
  );
}

async function listAllRows(
  tables: SourceTables,
  table: string,
  columns: readonly string[],
  key: string,
): Promise<SourceRow[]> {
  const all: SourceRow[] = [];
  for await (const rows of buildRows(tables, table, { columns, key })) {
    all.push(...rows);
    if (all.length > storedRowsMax)
      throw new ImportRefused(`the table ${table} has more than ${storedRowsMax} rows`);
  }
  return all;
}
