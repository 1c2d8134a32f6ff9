/**
 * Databases of the one-api family, written by our own DDL after the columns that their programs
 * create.
 */
import { DatabaseSync } from "node:sqlite";
import { hashSync } from "bcryptjs";

export type FamilySystem = "one-api" | "laisky-one-api" | "new-api";

const shared = {
  users: `id integer primary key autoincrement, username varchar(191) unique, password text not null, display_name text,
    role integer default 1, status integer default 1, email text, github_id text, wechat_id text, lark_id text, oidc_id text,
    access_token char(32), quota bigint default 0, used_quota bigint default 0, request_count integer default 0,
    "group" varchar(64) default 'default', aff_code varchar(32), inviter_id integer`,
  tokens: `id integer primary key autoincrement, user_id integer, "key" char(48) unique, status integer default 1, name text,
    created_time bigint, accessed_time bigint, expired_time bigint default -1, remain_quota bigint default 0,
    unlimited_quota numeric default 0, used_quota bigint default 0`,
  channels: `id integer primary key autoincrement, type integer default 0, "key" text, status integer default 1, name text,
    weight integer, created_time bigint, test_time bigint, response_time integer, base_url text, other text, balance real,
    balance_updated_time bigint, models text, "group" varchar(32) default 'default', used_quota bigint default 0,
    model_mapping text, priority bigint default 0`,
  redemptions: `id integer primary key autoincrement, user_id integer, "key" char(32) unique, status integer default 1, name text,
    quota bigint default 100, created_time bigint, redeemed_time bigint`,
  logs: `id integer primary key autoincrement, user_id integer, created_at bigint, type integer, content text, username text,
    token_name text, model_name text, quota bigint default 0, prompt_tokens integer default 0,
    completion_tokens integer default 0, channel_id integer, is_stream numeric default 0`,
};
const abilities = `"group" varchar(64), model varchar(191), channel_id integer, enabled numeric, priority bigint, primary key ("group", model, channel_id)`;
const options = `"key" varchar(191) primary key, value text`;

/** `added` is what each system adds to the columns of one-api. */
const added: Record<FamilySystem, Partial<typeof shared>> = {
  "one-api": {
    tokens: "models text, subnet text",
    channels: "config text, system_prompt text",
    logs: "request_id text, elapsed_time bigint, system_prompt_reset numeric",
  },
  "laisky-one-api": {
    users: "uuid char(36), totp_secret varchar(64), created_at bigint, updated_at bigint",
    tokens: "uuid char(36), models text, subnet text, created_at bigint, updated_at bigint",
    channels: `uuid char(36), config text, system_prompt text, hidden_models text, model_configs text, model_ratio text,
      completion_ratio text, ratelimit integer, testing_model text, inference_profile_arn_map text`,
    logs: "request_id text, elapsed_time bigint, origin_model_name text, cached_prompt_tokens integer, metadata text",
  },
  "new-api": {
    users: `discord_id text, telegram_id text, linux_do_id text, aff_count integer, aff_quota integer, aff_history integer,
      setting text, remark text, created_at bigint, deleted_at datetime`,
    tokens: `model_limits_enabled numeric, model_limits text, allow_ips text, "group" text, cross_group_retry numeric,
      deleted_at datetime`,
    channels: `channel_info text, setting text, settings text, param_override text, header_override text,
      status_code_mapping text, auto_ban integer, tag text, remark text, test_model text, open_ai_organization text`,
    redemptions: "used_user_id integer, expired_time bigint, deleted_at datetime",
    logs: `use_time integer, token_id integer, "group" text, ip text, other text`,
  },
};

type Cell = string | number | null;
export type FamilyRow = Readonly<Record<string, Cell>>;
export type FamilyRows = Readonly<Record<string, readonly FamilyRow[]>>;

export type FamilyDialect = "sqlite" | "postgres" | "mysql";
type Statement = readonly [sql: string, values: readonly Cell[]];

/** `spelling` says how each database writes what the programs ask it for. */
const spelling: Record<FamilyDialect, readonly (readonly [RegExp, string])[]> = {
  sqlite: [],
  postgres: [
    [/integer primary key autoincrement/g, "bigserial primary key"],
    [/\bnumeric default 0/g, "boolean default false"],
    [/\bnumeric\b/g, "boolean"],
    [/\bdatetime\b/g, "timestamptz"],
    [/\breal\b/g, "double precision"],
  ],
  mysql: [
    [/integer primary key autoincrement/g, "bigint primary key auto_increment"],
    [/\bnumeric\b/g, "tinyint(1)"],
    [/\bdatetime\b/g, "datetime(3)"],
    [/\btext\b/g, "longtext"],
  ],
};

/** A whole database as statements, without values in the texts. */
export const familyStatements = (
  system: FamilySystem,
  dialect: FamilyDialect,
  rows: FamilyRows,
): Statement[] => [
  ...createStatements(system).map(
    (text): Statement => [
      spelling[dialect].reduce((sql, [found, written]) => sql.replace(found, written), text),
      [],
    ],
  ),
  ...insertStatements(rows, dialect),
];

export const insertStatements = (rows: FamilyRows, dialect: FamilyDialect): Statement[] =>
  Object.entries(rows).flatMap(([table, records]) =>
    records.map((row): Statement => {
      const names = Object.keys(row).map((name) => `"${name}"`);
      const places = names.map((_, index) => (dialect === "postgres" ? `$${index + 1}` : "?"));
      return [
        `insert into ${table} (${names.join(", ")}) values (${places.join(", ")})`,
        Object.values(row),
      ];
    }),
  );

const createStatements = (system: FamilySystem): string[] => {
  const tables = Object.entries(shared).map(([table, columns]) => {
    const more = added[system][table as keyof typeof shared];
    return `create table ${table} (${columns}${more ? `, ${more}` : ""})`;
  });
  return [
    ...tables,
    `create table abilities (${abilities})`,
    `create table options (${options})`,
    ...(system === "new-api"
      ? [
          "create table two_fas (id integer primary key, user_id integer, secret text, is_enabled numeric, deleted_at datetime)",
        ]
      : []),
  ];
};

export function createFamilyDatabase(file: string, system: FamilySystem, rows: FamilyRows): void {
  const db = new DatabaseSync(file);
  try {
    run(db, familyStatements(system, "sqlite", rows));
  } finally {
    db.close();
  }
}

export const insertRows = (db: DatabaseSync, rows: FamilyRows): void =>
  run(db, insertStatements(rows, "sqlite"));

function run(db: DatabaseSync, statements: readonly Statement[]): void {
  db.exec("begin");
  for (const [sql, values] of statements) db.prepare(sql).run(...values);
  db.exec("commit");
}

/** The least cost that bcrypt allows: the form is the same. */
const hashed = (password: string): string => hashSync(password, 4);

export const oldPassword = "a password of before";
/** As clients know it, with its prefix. */
export const oldKey = `sk-${"oldKey1".padEnd(48, "z")}`;
/** RFC 6238's seed, in base 32. */
export const oldSeed = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const key = (name: string): string => name.padEnd(48, "z");
const { padded, spaced } = {
  padded: (text: string, to: number) => text.padEnd(to, " "),
  spaced: " gpt-4o , ,gpt-4o-mini",
};

/** The one OpenID Connect provider of a site, by the names of its program. */
const oidcSettings = (system: FamilySystem): FamilyRow[] => {
  const names =
    system === "new-api"
      ? [
          "oidc.enabled",
          "oidc.client_id",
          "oidc.client_secret",
          "oidc.well_known",
          "oidc.token_endpoint",
        ]
      : ["OidcEnabled", "OidcClientId", "OidcClientSecret", "OidcWellKnown", "OidcTokenEndpoint"];
  const issuer = "https://id.example.com/realms/staff";
  const values = [
    "true",
    "our-client",
    "secret-of-oidc",
    `${issuer}/.well-known/openid-configuration`,
    `${issuer}/token`,
  ];
  return names.map((key, index) => ({ key, value: values[index] ?? "" }));
};

/** A small site with every awkward row that the programs of the family are known to write. */
export function awkwardRows(
  system: FamilySystem,
  upstreamUrl = "https://api.example.com",
): FamilyRows {
  const isNew = system === "new-api";
  const restriction = (models: string | null, addresses: string | null): FamilyRow =>
    isNew
      ? {
          model_limits_enabled: models === null ? 0 : 1,
          model_limits: models,
          allow_ips: addresses,
        }
      : { models, subnet: addresses };
  const accessToken = isNew ? "AbC+/dEfGhIjKlMnOpQrStUvWxYz0=" : "0123456789abcdef0123456789abcdef";
  return {
    users: [
      {
        id: 1,
        username: "root",
        password: hashed("123456"),
        display_name: "Root User",
        role: 100,
        quota: 500_000_000_000_000,
        access_token: padded(accessToken, 32),
        aff_code: "ABcd",
        used_quota: 12,
      },
      {
        id: 2,
        username: "alice",
        password: hashed(oldPassword),
        display_name: "Alice",
        email: "alice@example.com",
        quota: 1_000_000,
        used_quota: 250_000,
        request_count: 7,
        group: "vip",
        inviter_id: 1,
        aff_code: "WXyz",
      },
      {
        id: 3,
        username: "Bob@Work",
        password: hashed("bob's password"),
        display_name: "A display name that is too long",
        email: "ALICE@example.com",
        quota: -4_200,
        used_quota: 4_200,
        lark_id: "ou_1",
      },
      {
        id: 4,
        username: "аlice",
        password: hashed("look alike"),
        quota: 0,
        status: 2,
        lark_id: "ou_1",
      },
      {
        id: 5,
        username: "deleted_5",
        password: "",
        status: isNew ? 1 : 3,
        quota: 77,
        ...(isNew && { deleted_at: "2025-01-01 00:00:00" }),
      },
      {
        id: 6,
        username: "x",
        password: "not a hash",
        display_name: null,
        email: null,
        quota: isNew ? 2_147_483_647 : 9_000_000_000_000_000,
        group: "a group with a name that is far longer than thirty-two",
        oidc_id: "7f3a-subject",
      },
      {
        id: 7,
        username: "guarded",
        password: hashed(oldPassword),
        quota: 5,
        ...(system === "laisky-one-api" && {
          totp_secret: oldSeed,
          uuid: "0198f3a0-0000-7000-8000-0000000000aa",
          created_at: 1_735_689_600_000,
        }),
        ...(isNew && {
          discord_id: "80351110224678912",
          linux_do_id: "4711",
          telegram_id: "not an id",
        }),
      },
      { id: 8, username: "expensive", password: `$2a$31$${"a".repeat(53)}`, quota: 3 },
    ],
    ...(isNew && {
      two_fas: [
        { id: 1, user_id: 7, secret: oldSeed, is_enabled: 1 },
        { id: 2, user_id: 8, secret: oldSeed, is_enabled: 0 },
      ],
    }),
    tokens: [
      {
        id: 1,
        user_id: 2,
        key: oldKey.slice(3),
        name: "main",
        unlimited_quota: 1,
        remain_quota: -1,
        used_quota: 200_000,
        created_time: 1_735_689_600,
        ...restriction(null, null),
      },
      {
        id: 2,
        user_id: 2,
        key: padded("paddedKey", 48),
        name: "limited",
        remain_quota: 5_000,
        used_quota: 50_000,
        ...restriction(spaced, isNew ? "10.0.0.1\n192.168.0.0/16" : "10.0.0.0/8,192.168.0.0/16"),
      },
      {
        id: 3,
        user_id: 2,
        key: key("expired"),
        name: "expired",
        status: 3,
        expired_time: 1_600_000_000,
        remain_quota: 9,
        ...restriction(null, null),
      },
      {
        id: 4,
        user_id: 99,
        key: key("orphan"),
        name: "orphan",
        unlimited_quota: 1,
        ...restriction(null, null),
      },
      {
        id: 5,
        user_id: 3,
        key: key("badAddress"),
        name: "a name that is far longer than thirty",
        unlimited_quota: 1,
        ...restriction(null, "not an address"),
      },
      {
        id: 6,
        user_id: 3,
        key: key("disabled"),
        status: 2,
        name: "off",
        unlimited_quota: 1,
        ...restriction(null, null),
      },
      ...(isNew
        ? [
            {
              id: 7,
              user_id: 2,
              key: key("grouped"),
              name: "grouped",
              unlimited_quota: 1,
              group: "svip",
            },
            {
              id: 8,
              user_id: 2,
              key: key("nothing"),
              name: "nothing",
              unlimited_quota: 1,
              model_limits_enabled: 1,
              model_limits: "",
            },
          ]
        : []),
    ],
    channels: [
      {
        id: 1,
        type: 1,
        key: "sim-ok+as-provider-key",
        name: "main",
        base_url: upstreamUrl,
        models: "sim-model",
        group: "default,vip",
        weight: 5,
        priority: 10,
        used_quota: 250_000,
      },
      {
        id: 2,
        type: 3,
        key: "azure-key-000000",
        name: "azure",
        base_url: "https://example.openai.azure.com",
        other: "2024-06-01",
        models: "gpt-3.5-turbo,gpt-4o",
        created_time: 1_700_000_000,
      },
      {
        id: 3,
        type: 9_999,
        key: "unknown-key-0000",
        name: "unknown",
        base_url: "https://unknown.example.com",
        models: "m",
      },
      { id: 4, type: 9_999, key: "unknown-key-0001", name: "nowhere", base_url: "", models: "m" },
      {
        id: 5,
        type: 14,
        key: "claude-key-00000",
        name: "broken mapping",
        models: "claude-3-5-sonnet",
        model_mapping: "{not json",
        status: 3,
      },
      ...(isNew
        ? [
            {
              id: 6,
              type: 1,
              key: "first-key-000001\nsecond-key-00002\nsecond-key-00002",
              name: "several",
              models: "gpt-4o",
              setting:
                '{"proxy":"http://user:proxy-password@proxy.example.com:3128","system_prompt":"Be brief."}',
              channel_info:
                '{"is_multi_key":true,"multi_key_status_list":{"1":3},"multi_key_disabled_reason":{"1":"no credit"}}',
            },
          ]
        : []),
      ...(system === "laisky-one-api"
        ? [
            {
              id: 6,
              type: 1,
              key: "k-0000000000000",
              name: "configured",
              models: "gpt-4o",
              model_configs: '{"gpt-4o":{"ratio":1.25,"completion_ratio":4,"embedding":{}}}',
            },
          ]
        : []),
    ],
    abilities: [{ group: "default", model: "sim-model", channel_id: 1, enabled: 1, priority: 10 }],
    redemptions: [
      {
        id: 1,
        user_id: 1,
        key: padded("00112233445566778899aabbccddeeff", 32),
        name: "unused",
        quota: 100,
        created_time: 1_735_689_600,
      },
      {
        id: 2,
        user_id: 1,
        key: "used-code",
        status: 3,
        name: "used",
        quota: 200,
        redeemed_time: 1_735_689_700,
      },
      {
        id: 3,
        user_id: 1,
        key: "disabled-code",
        status: 2,
        name: "a name that is longer than twenty",
        quota: 300,
      },
    ],
    options: [
      { key: "SystemName", value: "Our gateway" },
      { key: "GroupRatio", value: '{"default":1,"vip":0.5,"svip":2}' },
      { key: "ModelRatio", value: '{"sim-model":1,"gpt-3.5-turbo":0.25,"gpt-4o":1.25}' },
      { key: "CompletionRatio", value: '{"sim-model":4,"gpt-3.5-turbo":3,"gpt-4o":4}' },
      { key: "TurnstileCheckEnabled", value: "true" },
      { key: "SMTPToken", value: "mail-password" },
      { key: "ServerAddress", value: "javascript:alert(1)" },
      { key: "SomethingElse", value: "1" },
      ...oidcSettings(system),
    ],
  };
}
