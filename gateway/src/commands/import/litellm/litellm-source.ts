/** The LiteLLM proxy as a source of an import: its database, its `config.yaml`, or both. */
import type { ImportLossReason } from "@tollgate/contract/commands/import-losses.ts";
import * as z from "zod/mini";
import { optionDefaults } from "../../../settings/option-defaults.ts";
import type {
  ImportSource,
  Reading,
  SourceChannel,
  SourceOption,
  SourceTeam,
  SourceToken,
  SourceUser,
  SourceVirtualModel,
} from "../import-items.ts";
import { fillRow, formatSourceText } from "../sources/source-fields.ts";
import {
  buildRows,
  ImportRefused,
  type SourceRow,
  type SourceTables,
} from "../sources/source-tables.ts";
import { listTablesNotCarried } from "../tables-not-carried.ts";
import {
  type AccountRules,
  buildUnownedAccount,
  readLitellmUser,
  unownedId,
  userColumns,
} from "./litellm-accounts.ts";
import type { LitellmBudget } from "./litellm-budgets.ts";
import { readSpendCalls } from "./litellm-calls.ts";
import { type LitellmConfiguration, mergeConfigurations } from "./litellm-config-file.ts";
import {
  collectChannelIdsOfDeployments,
  findEnvironmentReference,
  type LitellmDeployment,
  lacksVariables,
  listChannelsOfDeployments,
} from "./litellm-deployments.ts";
import { addAliases, collectAliases, listVirtualModels } from "./litellm-fallbacks.ts";
import { dollars, textList, utcTime } from "./litellm-fields.ts";
import {
  buildMasterKeyToken,
  isConsoleSession,
  keyColumns,
  masterKeyAlias,
  masterKeyId,
  readLitellmKey,
  showId,
} from "./litellm-keys.ts";
import { readSpendLogs, type SpendContext, spendTable } from "./litellm-logs.ts";
import { type LitellmCatalogue, type ModelScope, readModelScope } from "./litellm-models.ts";
import { buildLitellmSecrets } from "./litellm-secrets.ts";
import { readLitellmSettings } from "./litellm-settings.ts";
import { readStoredConfiguration } from "./litellm-stored-configuration.ts";
import { readTeamParts } from "./litellm-team-parts.ts";
import {
  composeTeamAccountId,
  readLitellmTeam,
  readLitellmTeamAccount,
  teamColumns,
} from "./litellm-teams.ts";

const keyTable = "LiteLLM_VerificationToken";
const userTable = "LiteLLM_UserTable";
const teamTable = "LiteLLM_TeamTable";

/** Tables without a counterpart here: counted for the report. */
const otherTables = [
  ["LiteLLM_OrganizationTable", "organization_id"],
  ["LiteLLM_ProjectTable", "project_id"],
  ["LiteLLM_EndUserTable", "user_id"],
  ["LiteLLM_TagTable", "tag_name"],
  ["LiteLLM_DeprecatedVerificationToken", "token"],
  ["LiteLLM_ObjectPermissionTable", "object_permission_id"],
  ["LiteLLM_MCPServerTable", "server_id"],
  ["LiteLLM_GuardrailsTable", "guardrail_id"],
  ["LiteLLM_InvitationLink", "id"],
] as const;

/** Rows that are held in memory while keys are read. */
const heldRowsMax = 500_000;
/** A shorter master key, such as the one of LiteLLM's examples, can be guessed. */
const masterKeyMin = 16;

export interface LitellmSurroundings {
  /** The environment that LiteLLM runs with, as far as it is known. */
  environment(name: string): string | undefined;
  /** `config` is what `config.yaml` holds, where it is given. */
  config: LitellmConfiguration | undefined;
  /** Units of a wallet without a budget there. */
  unlimitedAs: number;
  now: number;
}

export const isLitellm = async (tables: SourceTables): Promise<boolean> =>
  (await tables.columns(keyTable)).has("token");

export async function openLitellmSource(
  tables: SourceTables,
  { environment: given, config, unlimitedAs, now }: LitellmSurroundings,
): Promise<ImportSource> {
  const inFile = (name: string): string | undefined =>
    dereferenced(config?.environment.get(name), given);
  const masterKey =
    dereferenced(
      config?.settings.get("general_settings")?.master_key,
      (name) => given(name) ?? inFile(name),
    ) ??
    given("LITELLM_MASTER_KEY") ??
    inFile("LITELLM_MASTER_KEY") ??
    "";
  const isMasterKeyCarried = masterKey.length >= masterKeyMin;
  const rules: AccountRules = { unlimitedAs, now };
  const salt = given("LITELLM_SALT_KEY") || inFile("LITELLM_SALT_KEY") || masterKey;
  const inDatabase = await readStoredConfiguration(tables, buildLitellmSecrets(salt));
  const stored = config === undefined ? inDatabase : mergeConfigurations(config, inDatabase);
  const environment = (name: string): string | undefined =>
    given(name) ?? dereferenced(stored.environment.get(name), given);
  const aliases = collectAliases(stored);
  const deployments = addAliases(stored.deployments, aliases);
  const catalogue = buildCatalogue(deployments, aliases);
  const budgets = await readBudgets(tables);
  const teams = await readScopes(tables, teamTable, "team_id", catalogue);
  const users = await readScopes(tables, userTable, "user_id", catalogue);
  const ownerOf = ({ userId, teamId }: { userId: string; teamId: string }) => {
    const team = teams.get(teamId);
    const user = users.get(userId);
    if (team !== undefined)
      return {
        sourceId: composeTeamAccountId(teamId),
        scope: team,
        team: { sourceId: teamId, memberSourceId: user === undefined ? undefined : userId },
      };
    return { sourceId: user === undefined ? unownedId : userId, scope: user ?? "all" };
  };
  const deploymentContext = { environment, credentials: stored.credentials };
  const hasSpendLogs = (await tables.columns(spendTable)).has("startTime");
  const masterKeyHash = masterKey === "" ? "" : showId(masterKey);
  const tokenOf = (apiKey: string): string | undefined => {
    if (apiKey === "") return undefined;
    const id = showId(apiKey);
    return apiKey === masterKeyAlias || id === masterKeyHash ? masterKeyId : id;
  };
  const spendContext = (): SpendContext => {
    const channelIds = collectChannelIdsOfDeployments(deployments, deploymentContext);
    return { ownerOf, tokenOf, channelOf: (deploymentId) => channelIds.get(deploymentId), now };
  };
  const hasUnowned = isMasterKeyCarried || (await hasUnownedKeys(tables, ownerOf));

  async function* read<Item>(
    table: string,
    { columns, key }: { columns: readonly string[]; key: string },
    toItem: (row: SourceRow) => Reading<Item> | undefined,
  ): AsyncGenerator<readonly Reading<Item>[]> {
    for await (const rows of buildRows(tables, table, { columns, key }))
      yield rows.flatMap((row) => toItem(row) ?? []);
  }

  return {
    system: "LiteLLM",
    label: tables.label,
    async siteLosses() {
      const reason: ImportLossReason = masterKey === "" ? "master_key_unknown" : "master_key_weak";
      const loss = {
        entity: "option",
        sourceId: "LITELLM_MASTER_KEY",
        name: "",
        field: "",
        reason,
        value: "",
      } as const;
      return [
        ...(isMasterKeyCarried ? [] : [loss]),
        ...(await listTablesNotCarried(tables, otherTables)),
      ];
    },
    async reach() {
      let isDatabaseRead = true;
      for (const table of [keyTable, userTable, teamTable])
        isDatabaseRead &&= (await tables.columns(table)).size > 0;
      const database = isDatabaseRead ? ["database"] : [];
      const places = [...database, ...(config === undefined ? [] : ["config.yaml"])];
      return {
        parts: {
          ...(isDatabaseRead && { user: database, team: database, token: database }),
          ...(!lacksVariables(deployments, deploymentContext) && { channel: places }),
        },
        made: [masterKeyId, unownedId],
      };
    },
    groupRatios: async () => JSON.parse(optionDefaults.GroupRatio) as Record<string, number>,
    async *options() {
      const isDatabaseRead = (await tables.columns(keyTable)).size > 0;
      yield readLitellmSettings(stored.settings, {
        isDatabaseRead,
      }) satisfies Reading<SourceOption>[];
    },
    async *users() {
      if (hasUnowned) yield [buildUnownedAccount(rules)];
      yield* read<SourceUser>(userTable, { columns: userColumns, key: "user_id" }, (row) =>
        readLitellmUser(row, rules),
      );
      yield* read<SourceUser>(teamTable, { columns: teamColumns, key: "team_id" }, (row) =>
        readLitellmTeamAccount(row, rules),
      );
    },
    async *teams() {
      const budgetOf = (id: string) => budgets.get(id);
      const parts = await readTeamParts(tables, { keyTable, budgetOf, requireRoom });
      const context = {
        ...parts,
        rules,
        isKnownUser: (userId: string) => users.has(userId),
        scopeOf: (teamId: string) => teams.get(teamId) ?? "all",
      };
      yield* read<SourceTeam>(teamTable, { columns: teamColumns, key: "team_id" }, (row) =>
        readLitellmTeam(row, context),
      );
    },
    async *channels() {
      yield listChannelsOfDeployments(
        deployments,
        deploymentContext,
      ) satisfies Reading<SourceChannel>[];
    },
    async *virtualModels() {
      yield listVirtualModels(stored, aliases) satisfies Reading<SourceVirtualModel>[];
    },
    async *tokens() {
      if (isMasterKeyCarried) yield [buildMasterKeyToken(masterKey, unownedId)];
      const context = { catalogue, ownerOf, budgetOf: (id: string) => budgets.get(id), now };
      yield* read<SourceToken>(keyTable, { columns: keyColumns, key: "token" }, (row) =>
        isConsoleSession(row) ? undefined : readLitellmKey(row, context),
      );
    },
    async *codes() {
      // LiteLLM has none.
    },
    lastCalls: () => readSpendCalls(tables, spendContext()),
    lastCharges: undefined,
    logs: hasSpendLogs ? (afterId) => readSpendLogs(tables, spendContext(), afterId) : undefined,
  };
}

/** A text, or the variable that it names. */
function dereferenced(
  value: unknown,
  environment: LitellmSurroundings["environment"],
): string | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  const variable = findEnvironmentReference(value);
  return variable === undefined ? value : environment(variable);
}

function buildCatalogue(
  deployments: readonly LitellmDeployment[],
  aliases: ReadonlyMap<string, string>,
): LitellmCatalogue {
  const byGroup = new Map<string, string[]>();
  for (const { publicName, info } of deployments) {
    const groups = Array.isArray(info.access_groups) ? info.access_groups : [];
    for (const group of groups) {
      if (typeof group === "string")
        byGroup.set(group, [...(byGroup.get(group) ?? []), publicName]);
    }
  }
  const aliasesOf = Map.groupBy(aliases.keys(), (alias) => aliases.get(alias) ?? "");
  return {
    names: [...new Set(deployments.map(({ publicName }) => publicName))],
    byGroup,
    aliasesOf,
  };
}

const scopeShape = { models: textList };
const scopeRow = z.object(scopeShape);

/**
 * `readScopes` says which models the users or teams may use, by their id. A list that cannot be
 * read allows nothing.
 */
async function readScopes(
  tables: SourceTables,
  table: string,
  key: string,
  catalogue: LitellmCatalogue,
): Promise<ReadonlyMap<string, ModelScope>> {
  const scopes = new Map<string, ModelScope>();
  for await (const rows of buildRows(tables, table, { columns: ["models"], key })) {
    for (const row of rows) {
      const parsed = z.safeParse(scopeRow, fillRow(row, scopeShape));
      scopes.set(
        String(row[key]),
        parsed.success ? readModelScope(parsed.data.models, catalogue) : new Set(),
      );
    }
    requireRoom(table, scopes.size);
  }
  return scopes;
}

const budgetShape = {
  max_budget: dollars,
  budget_duration: formatSourceText(100),
  budget_reset_at: utcTime,
};
const budgetRow = z.object(budgetShape);

/** A budget that cannot be read leaves nothing. */
async function readBudgets(tables: SourceTables): Promise<ReadonlyMap<string, LitellmBudget>> {
  const budgets = new Map<string, LitellmBudget>();
  const columns = Object.keys(budgetShape);
  for await (const rows of buildRows(tables, "LiteLLM_BudgetTable", {
    columns,
    key: "budget_id",
  })) {
    for (const row of rows) {
      const { success, data } = z.safeParse(budgetRow, fillRow(row, budgetShape));
      const budget = success
        ? { max: data.max_budget, duration: data.budget_duration, resetAtMs: data.budget_reset_at }
        : { max: 0, duration: "", resetAtMs: undefined };
      budgets.set(String(row.budget_id), budget);
    }
    requireRoom("LiteLLM_BudgetTable", budgets.size);
  }
  return budgets;
}

function requireRoom(table: string, count: number): void {
  if (count > heldRowsMax)
    throw new ImportRefused(`the table ${table} has more than ${heldRowsMax} rows`);
}

async function hasUnownedKeys(
  tables: SourceTables,
  ownerOf: (key: { userId: string; teamId: string }) => { sourceId: string },
): Promise<boolean> {
  for await (const rows of buildRows(tables, keyTable, {
    columns: ["user_id", "team_id"],
    key: "token",
  })) {
    const isUnowned = (row: SourceRow): boolean =>
      !isConsoleSession(row) &&
      ownerOf({ userId: String(row.user_id ?? ""), teamId: String(row.team_id ?? "") }).sourceId ===
        unownedId;
    if (rows.some(isUnowned)) return true;
  }
  return false;
}
