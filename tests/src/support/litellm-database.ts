/**
 * A database of the LiteLLM proxy in several versions, written by our own DDL after the columns
 * that its migrations create.
 */
import { createCipheriv, createHash, randomBytes, scryptSync } from "node:crypto";
import pg from "pg";
import { createDatabase } from "../harness/postgres-cluster.ts";

const budget = "max_budget double precision, budget_duration text, budget_reset_at timestamp(3)";
const limits = "tpm_limit bigint, rpm_limit bigint, max_parallel_requests integer";
const times = "created_at timestamp(3) default current_timestamp, updated_at timestamp(3)";

/** As of the first migration, of March 2025. */
const tables = {
  LiteLLM_UserTable: `user_id text primary key, user_alias text, user_email text, user_role text, password text, sso_user_id text,
    teams text[] default '{}', models text[] default '{}', spend double precision default 0, metadata jsonb default '{}',
    model_max_budget jsonb default '{}', ${budget}, ${limits}, ${times}`,
  LiteLLM_TeamTable: `team_id text primary key, team_alias text, organization_id text, members text[] default '{}',
    members_with_roles jsonb default '{}', models text[] default '{}', spend double precision default 0,
    model_max_budget jsonb default '{}', blocked boolean default false, ${budget}, ${limits}, ${times}`,
  LiteLLM_BudgetTable: `budget_id text primary key, soft_budget double precision, model_max_budget jsonb, ${budget}, ${limits}, ${times}`,
  LiteLLM_VerificationToken: `token text primary key, key_name text, key_alias text, spend double precision default 0,
    expires timestamp(3), models text[] default '{}', aliases jsonb default '{}', config jsonb default '{}', user_id text,
    team_id text, organization_id text, permissions jsonb default '{}', metadata jsonb default '{}', blocked boolean,
    model_max_budget jsonb default '{}', budget_id text, ${budget}, ${limits}, ${times}`,
  LiteLLM_ProxyModelTable: `model_id text primary key, model_name text, litellm_params jsonb, model_info jsonb, ${times}`,
  LiteLLM_CredentialsTable: `credential_id text, credential_name text unique, credential_values jsonb, credential_info jsonb, ${times}`,
  LiteLLM_Config: "param_name text primary key, param_value jsonb",
  LiteLLM_SpendLogs: `request_id text primary key, call_type text not null, api_key text not null default '', spend double precision not null default 0,
    total_tokens integer not null default 0, prompt_tokens integer not null default 0, completion_tokens integer not null default 0,
    "startTime" timestamp(3) not null, "endTime" timestamp(3) not null, "completionStartTime" timestamp(3), model text not null default '',
    model_id text default '', model_group text default '', custom_llm_provider text default '', api_base text default '',
    "user" text default '', metadata jsonb default '{}', cache_hit text default '', team_id text, end_user text,
    messages jsonb default '{}', response jsonb default '{}'`,
  LiteLLM_TeamMembership: `user_id text, team_id text, spend double precision default 0, budget_id text,
    primary key (user_id, team_id)`,
  LiteLLM_EndUserTable: "user_id text primary key, spend double precision",
} as const;

const permission = "object_permission_id text";

/** `laterColumns` are what the tables got since, by the months of the migrations. */
const laterColumns = {
  "March 2025": {},
  "July 2025": {
    LiteLLM_UserTable: [permission],
    LiteLLM_TeamTable: [permission, "team_member_permissions text[] default '{}'"],
    LiteLLM_VerificationToken: [permission, "allowed_routes text[] default '{}'"],
    LiteLLM_SpendLogs: [
      "session_id text",
      "status text",
      "proxy_server_request jsonb default '{}'",
    ],
  },
  "August 2026": {
    LiteLLM_UserTable: ["policies text[] default '{}'"],
    LiteLLM_TeamTable: [
      "soft_budget double precision",
      "router_settings jsonb default '{}'",
      "budget_limits jsonb",
      "access_group_ids text[] default '{}'",
    ],
    LiteLLM_BudgetTable: ["allowed_models text[] default '{}'"],
    LiteLLM_VerificationToken: [
      "agent_id text",
      "project_id text",
      "router_settings jsonb default '{}'",
      "policies text[] default '{}'",
      "access_group_ids text[] default '{}'",
      "budget_limits jsonb",
      "last_active timestamp(3)",
    ],
    LiteLLM_ProxyModelTable: ["blocked boolean default false"],
    LiteLLM_SpendLogs: ["organization_id text", "agent_id text"],
  },
} as const satisfies Record<string, Partial<Record<keyof typeof tables, readonly string[]>>>;

export const litellmVersions = ["March 2025", "July 2025", "August 2026"] as const;
export type LitellmVersion = (typeof litellmVersions)[number];

/** The tables of a version with their columns as DDL. */
function tablesOf(version: LitellmVersion): Map<string, string> {
  const columns = new Map<string, string>(Object.entries(tables));
  for (const passed of litellmVersions.slice(0, litellmVersions.indexOf(version) + 1))
    for (const [table, added] of Object.entries(laterColumns[passed]))
      columns.set(table, [columns.get(table), ...added].join(", "));
  return columns;
}

export type LitellmCell = string | number | boolean | null | Date | readonly string[] | object;
export type LitellmRow = Readonly<Record<string, LitellmCell>>;
export type LitellmRows = Partial<Record<keyof typeof tables, readonly LitellmRow[]>>;

export const litellmSalt = "salt-of-the-source";
export const litellmPassword = "the password of before";
export const litellmKeys = {
  alice: "sk-alice-0123456789abcdef",
  /** Its end looks like a pin. */
  team: "sk-team-1",
  limited: "sk-limited-0123456789abcd",
  master: "sk-master-key-of-the-source",
} as const;

/** `litellmEnvironment` is what the import needs of the proxy's environment. */
export const litellmEnvironment = {
  LITELLM_SALT_KEY: litellmSalt,
  LITELLM_MASTER_KEY: litellmKeys.master,
};

export const hashOfLitellmKey = (key: string): string =>
  createHash("sha256").update(key).digest("hex");

export function litellmPasswordHash(password: string): string {
  const salt = Buffer.alloc(16, 3);
  const key = scryptSync(password, salt, 32, { N: 16_384, r: 8, p: 1, maxmem: 64 * 1024 * 1024 });
  return `scrypt:${Buffer.concat([salt, key]).toString("base64")}`;
}

/** As `encryption_algorithm: aes-256-gcm` writes it. */
export function sealedByLitellm(text: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv(
    "aes-256-gcm",
    createHash("sha256").update(litellmSalt).digest(),
    nonce,
  );
  const body = Buffer.concat([cipher.update(text), cipher.final()]);
  return `v2:gcm:${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString("base64url")}`;
}

/** "openai/sim-model" in a secretbox, sealed by the library tweetnacl with `litellmSalt`. */
const boxedModel = "RmRrk-9lB7gtVj_Df5Ajaglx4VKN50f1lGdq6rVwtc-kJ9Bt2ti9WZw0fmY5odsincThloez_fk";

/** `awkwardLitellmRows` gives one site with what is awkward in such databases. */
export function awkwardLitellmRows(upstreamUrl = "http://127.0.0.1:9"): LitellmRows {
  const key = (text: string, more: Readonly<Record<string, LitellmCell>>) => ({
    token: hashOfLitellmKey(text),
    key_name: `sk-...${text.slice(-4)}`,
    ...more,
  });
  return {
    LiteLLM_UserTable: [
      {
        user_id: "default_user_id",
        user_email: "admin@example.com",
        user_role: "proxy_admin",
        spend: 0,
      },
      {
        user_id: "11111111-aaaa-4bbb-8ccc-000000000001",
        user_alias: "alice",
        user_email: "alice@example.com",
        user_role: "internal_user",
        password: litellmPasswordHash(litellmPassword),
        max_budget: 10,
        spend: 2.5,
      },
      {
        user_id: "11111111-aaaa-4bbb-8ccc-000000000002",
        user_alias: "alice",
        user_role: "internal_user_viewer",
        sso_user_id: "sso-2",
        max_budget: 1,
        spend: 0.000_001_4,
      },
      {
        user_id: "bob-id",
        user_email: "bob@example.com",
        password: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        models: ["sim-model"],
        max_budget: 1,
        spend: 5,
        budget_duration: "30d",
        rpm_limit: 10,
      },
    ],
    LiteLLM_TeamTable: [
      {
        team_id: "t1",
        team_alias: "research",
        models: ["sim-model", "other"],
        members_with_roles: JSON.stringify([
          { role: "admin", user_id: "11111111-aaaa-4bbb-8ccc-000000000001", user_email: null },
          { role: "user", user_id: "11111111-aaaa-4bbb-8ccc-000000000002", user_email: null },
          { role: "user", user_id: "who-is-gone", user_email: null },
        ]),
        max_budget: 100,
        spend: 1,
        rpm_limit: 600,
      },
      { team_id: "t2", team_alias: "closed", blocked: true, spend: 0 },
    ],
    LiteLLM_BudgetTable: [
      { budget_id: "b1", max_budget: 1.5, budget_duration: "7d" },
      { budget_id: "b2", max_budget: 20, budget_duration: "30d" },
      { budget_id: "b3", max_budget: 1, budget_duration: "90m" },
    ],
    LiteLLM_TeamMembership: [
      {
        user_id: "11111111-aaaa-4bbb-8ccc-000000000001",
        team_id: "t1",
        budget_id: "b2",
        spend: 3,
      },
      {
        user_id: "11111111-aaaa-4bbb-8ccc-000000000002",
        team_id: "t1",
        budget_id: "b3",
        spend: 0,
      },
    ],
    LiteLLM_VerificationToken: [
      key(litellmKeys.alice, {
        user_id: "11111111-aaaa-4bbb-8ccc-000000000001",
        key_alias: "alice's key",
        spend: 2.5,
      }),
      key(litellmKeys.team, {
        user_id: "bob-id",
        team_id: "t1",
        models: ["sim-model", "secret-model"],
        spend: 1,
      }),
      key(litellmKeys.limited, {
        user_id: "bob-id",
        key_alias: "limited",
        max_budget: 2,
        budget_id: "b1",
        spend: 0.5,
        rpm_limit: 5,
        tpm_limit: 5_000_000_000,
        models: ["all-proxy-models"],
        model_max_budget: { "sim-model": { budget_limit: 1 } },
      }),
      key("sk-blocked-0000000000001", { key_alias: "blocked", blocked: true }),
      key("sk-expired-0000000000001", { key_alias: "expired", expires: "2025-01-01 00:00:00" }),
      key("sk-routes-00000000000001", {
        key_alias: "routes",
        aliases: { m1: "gpt-db" },
        allowed_routes: ["/v1/models"],
      }),
      key("sk-empty-000000000000001", {
        key_alias: "empty",
        team_id: "t1",
        models: ["secret-model"],
      }),
      key("sk-closed-00000000000001", { key_alias: "of a closed team", team_id: "t2" }),
      key("sk-spent-000000000000001", { key_alias: "spent", max_budget: 0.1, spend: 0.2 }),
      key("sk-session-0000000000001", { key_alias: "session", team_id: "litellm-dashboard" }),
      { token: "not a hash", key_alias: "strange" },
    ],
    LiteLLM_ProxyModelTable: [
      {
        model_id: "m1",
        model_name: "sim-model",
        litellm_params: {
          model: boxedModel,
          api_key: sealedByLitellm("sim-ok+as-provider-key"),
          api_base: sealedByLitellm(`${upstreamUrl}/v1`),
          input_cost_per_token: 0.000_002_5,
          output_cost_per_token: 0.000_01,
          rpm: 60,
        },
        model_info: { access_groups: ["cheap"] },
      },
      {
        model_id: "m2",
        model_name: "other",
        litellm_params: { model: "openai/other-upstream", api_key: "os.environ/NOT_SET_ANYWHERE" },
        model_info: {},
      },
      {
        model_id: "m3",
        model_name: "anthropic/*",
        litellm_params: { model: "anthropic/*", api_key: "x" },
        model_info: {},
      },
      { model_id: "m5", model_name: "x".repeat(3_000), litellm_params: {}, model_info: {} },
      {
        model_id: "m4",
        model_name: "claude",
        // JSON inside a text of JSON, and a stored credential.
        litellm_params: JSON.stringify(
          JSON.stringify({ model: "anthropic/claude-x", litellm_credential_name: "ours" }),
        ),
        model_info: {},
      },
    ],
    LiteLLM_CredentialsTable: [
      {
        credential_id: "c1",
        credential_name: "ours",
        credential_values: { api_key: sealedByLitellm("provider-key-2") },
      },
    ],
    LiteLLM_Config: [
      {
        param_name: "litellm_settings",
        param_value: { guardrails: [{ guardrail_name: "pii" }], cache: true },
      },
      { param_name: "general_settings", param_value: { store_model_in_db: true } },
    ],
    LiteLLM_EndUserTable: [{ user_id: "customer-1", spend: 1 }],
  };
}

const columnsOfJson: ReadonlySet<string> = new Set([
  "litellm_params",
  "model_info",
  "credential_values",
  "param_value",
  "model_max_budget",
  "metadata",
]);

/**
 * The address of a new database with the rows; what a version has no column for is left out.
 * `version` may also be the statements of LiteLLM's own migrations.
 */
export async function createLitellmDatabase(
  rows: LitellmRows,
  version: LitellmVersion | readonly string[] = "August 2026",
): Promise<string> {
  const url = await createDatabase();
  const schema =
    typeof version === "string"
      ? [...tablesOf(version)].map(([table, columns]) => `create table "${table}" (${columns})`)
      : version;
  await withLitellm(url, async (client) => {
    for (const statements of schema) await client.query(statements);
    for (const [table, records] of Object.entries(rows)) {
      const { fields } = await client.query(`select * from "${table}"`);
      const existing = new Set(fields.map(({ name }) => name));
      const required = await readRequiredCells(client, table);
      for (const given of records) {
        const row: LitellmRow = { ...required, ...given };
        const names = Object.keys(row).filter((name) => existing.has(name));
        const values = names.map((name) =>
          columnsOfJson.has(name) && typeof row[name] !== "string"
            ? JSON.stringify(row[name])
            : row[name],
        );
        const places = names.map((_, index) => `$${index + 1}`);
        await client.query(
          `insert into "${table}" (${names.map((name) => `"${name}"`).join(", ")}) values (${places.join(", ")})`,
          values,
        );
      }
    }
  });
  return url;
}

/** The columns that must have a value and have none by themselves: who made a row, and when. */
async function readRequiredCells(client: pg.Client, table: string): Promise<LitellmRow> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
      where table_name = $1 and is_nullable = 'NO' and column_default is null`,
    [table],
  );
  return Object.fromEntries(
    rows.map(({ name, type }) => [name, type.startsWith("timestamp") ? new Date() : "{}"]),
  );
}

export async function withLitellm(
  url: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
