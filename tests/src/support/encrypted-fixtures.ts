/** For tests: one sealed value in every encrypted column, each as its feature would write it. */

import type { SealContext, SealPurpose } from "@tollgate/gateway/secrets/encrypted-columns.ts";
import { encryptedColumnList } from "@tollgate/gateway/secrets/reencrypt.ts";
import type { Sealer } from "@tollgate/gateway/secrets/seal.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { readUuid7 } from "@tollgate/gateway/storage/time-ids.ts";
import { createTestAccount } from "./money-fixtures.ts";

const now = Date.UTC(2026, 10, 21);

/** `extraTokens` is the number of additional tokens. */
export async function fillEncryptedColumns(
  db: Database,
  seal: Sealer,
  extraTokens = 0,
): Promise<void> {
  const { userId, channelId } = await createTestAccount(db, 0, [null]);
  const [user] = await db.read(db.sql.selectFrom("users").select("uuid").where("id", "=", userId));
  const [channel] = await db.read(
    db.sql.selectFrom("channels").select("uuid").where("id", "=", channelId),
  );
  if (!user || !channel) throw new Error("there is no account");
  const later = { created_at: now, expires_at: now + 1 };
  const code = readUuid7(now);
  const sealedKey = seal.seal("channel-key", `channels/key_sealed/${channel.uuid}`, "sk-provider");
  await db.write([
    {
      query: db.sql
        .updateTable("channels")
        .set({
          key_sealed: sealedKey,
          proxy_sealed: seal.seal(
            "channel-proxy",
            `channels/proxy_sealed/${channel.uuid}`,
            "http://proxy.example",
          ),
          headers_sealed: seal.seal(
            "channel-headers",
            `channels/headers_sealed/${channel.uuid}`,
            '{"x-a":"v"}',
          ),
        })
        .where("id", "=", channelId),
    },
    {
      query: db.sql.insertInto("cost_reports").values({
        channel_uuid: channel.uuid,
        key_sealed: seal.seal("report-key", `cost_reports/key_sealed/${channel.uuid}`, "sk-admin"),
        key_hint: "dmin",
        destination: "1 https://api.openai.com",
        scope: "",
        channel_ids: "[]",
        due_at: 0,
        attempted_at: 0,
        read_at: null,
        failure: "",
        failure_status: 0,
        updated_at: now,
      }),
    },
    {
      query: db.sql.insertInto("destinations").values({
        uuid: code,
        name: "chat",
        kind: "slack",
        target_sealed: seal.seal("destination", `destinations/target_sealed/${code}`, "an address"),
        target_hint: "",
        language: "",
        severity: "info",
        rules: "",
        disabled: 0,
        disabled_reason: "",
        created_at: now,
        updated_at: now,
      }),
    },
    {
      query: db.sql.insertInto("mcp_servers").values({
        uuid: code,
        name: "tools",
        description: "",
        url: "https://mcp.example.com/",
        headers_sealed: seal.seal(
          "mcp-headers",
          `mcp_servers/headers_sealed/${code}`,
          '{"authorization":"Bearer t"}',
        ),
        header_names: '["authorization"]',
        enabled: 1,
        groups: "[]",
        tools: "[]",
        call_price: 0,
        tool_prices: "{}",
        timeout_ms: 60_000,
        created_at: now,
        updated_at: now,
      }),
    },
    {
      query: db.sql.insertInto("redemptions").values({
        uuid: code,
        user_id: userId,
        name: "code",
        key_hash: code,
        key_sealed: seal.seal("redemption-code", `redemptions/key_sealed/${code}`, "a code"),
        status: 1,
        quota: 1,
        created_at: now,
        updated_at: now,
      }),
    },
    {
      query: db.sql.insertInto("second_factors").values({
        user_id: userId,
        secret_sealed: seal.seal(
          "totp-seed",
          `second_factors/secret_sealed/${user.uuid}`,
          "a seed",
        ),
        created_at: now,
        enabled_at: null,
      }),
    },
    {
      query: db.sql.insertInto("options").values([
        {
          key: "SMTPToken",
          value: seal.seal("option-secret", "options/value/SMTPToken", "a password"),
          updated_at: now,
        },
        { key: "Notice", value: `${seal.prefix}is no seal`, updated_at: now },
      ]),
    },
    {
      query: db.sql.insertInto("oauth_states").values([
        {
          state_hash: "ended",
          browser_hash: "browser",
          bind_user_id: null,
          expires_at: now,
          result: seal.seal("oauth-result", "oauth_states/result/ended", '{"kind":"bound"}'),
        },
        {
          state_hash: "under way",
          browser_hash: "browser",
          bind_user_id: null,
          expires_at: now,
          flow_sealed: seal.seal(
            "oidc-flow",
            "oauth_states/flow_sealed/under way",
            '{"verifier":"v","nonce":"n"}',
          ),
        },
      ]),
    },
    {
      query: db.sql.insertInto("sessions").values({
        id_hash: "a session of a provider",
        user_id: userId,
        ...{
          created_at: now,
          seen_at: now,
          expires_at: now,
          proved_at: now,
          address: "",
          user_agent: "",
        },
        ...{
          provider: "oidc:https://login.example.com",
          provider_subject: "someone",
          provider_sid: null,
        },
        id_token_sealed: seal.seal(
          "session-id-token",
          "sessions/id_token_sealed/a session of a provider",
          "an id token",
        ),
      }),
    },
    {
      query: db.sql.insertInto("oidc_providers").values({
        uuid: code,
        slug: "company",
        name: "Company",
        issuer: "https://login.example.com",
        client_id: "client",
        secret_sealed: seal.seal(
          "oidc-secret",
          `oidc_providers/secret_sealed/${code}`,
          "a client's secret",
        ),
        scopes: "openid",
        enabled: 0,
        position: 0,
        known_people_only: 0,
        refuses_unmatched: 0,
        trusts_second_factor: 0,
        acr_values: "[]",
        rules: "[]",
        created_at: now,
        updated_at: now,
      }),
    },
    {
      query: db.sql.insertInto("site_imports").values({
        id: 1,
        uuid: code,
        name: "main",
        kind: "address",
        label: "db.example.com",
        system: "",
        source_sealed: seal.seal(
          "import-source",
          `site_imports/source_sealed/${code}`,
          "an address",
        ),
        phase: "plan",
        state: "waiting",
        failure: "",
        report: "{}",
        started_by: "root",
        started_at: now,
        ended_at: null,
        lease_until: 0,
      }),
    },
    {
      query: db.sql
        .insertInto("run_secret")
        .values({
          place: 1,
          secret_sealed: seal.seal("run-secret", "run_secret/secret_sealed/1", "hashes runs"),
        })
        // A gateway has made one at its start.
        .onConflict((conflict) =>
          conflict
            .column("place")
            .doUpdateSet((row) => ({ secret_sealed: row.ref("excluded.secret_sealed") })),
        ),
    },
    {
      query: db.sql.insertInto("provider_uploads").values({
        id_hash: code,
        user_id: userId,
        team_id: 0,
        token_id: 1,
        channel_id: channelId,
        key_hash: "",
        bytes: 1,
        address_sealed: seal.seal(
          "upload-address",
          `provider_uploads/address_sealed/${code}`,
          "upload_id=1",
        ),
        created_at: now,
      }),
    },
    {
      query: db.sql.insertInto("call_bodies").values({
        id: now,
        user_id: userId,
        token_id: 1,
        mode: "full",
        key_sealed: seal.seal("body-key", `call_bodies/key_sealed/${now}`, "the key of an object"),
        created_at: now,
      }),
    },
    ...Array.from({ length: 11 }, (_, n) => ({
      query: db.sql.insertInto("held_responses").values({
        ...later,
        response_id: `resp_${n}`,
        user_id: userId,
        team_id: 0,
        sealed: seal.seal(
          "held response",
          `held_responses/sealed/${userId}/resp_${n}`,
          `{"n":${n}}`,
        ),
      }),
    })),
    ...Array.from({ length: 1 + extraTokens }, (_, n) => {
      const uuid = readUuid7(now);
      return {
        query: db.sql.insertInto("tokens").values({
          uuid,
          user_id: userId,
          name: `sealed ${n}`,
          key_hash: uuid,
          key_sealed: seal.seal("token-key", `tokens/key_sealed/${uuid}`, `key ${n}`),
          status: 1,
          remain_quota: 0,
          unlimited_quota: 1,
          expired_at: null,
          models: "",
          subnet: "",
          created_at: now,
          updated_at: now,
          accessed_at: now,
        }),
      };
    }),
  ]);
}

/** Everything that the key decrypts, by its context. Independent of the code of the rotation. */
export async function readDecrypted(db: Database, seal: Sealer): Promise<Record<string, string>> {
  const decrypted: Record<string, string> = {};
  for (const [purpose, { table, column, row }] of encryptedColumnList) {
    const text = `select ${row} as row, ${column} as sealed from ${table}`;
    const rows = await db.read<{ row: string; sealed: string | null }>({
      compile: () => ({ ...db.sql.selectFrom("options").selectAll().compile(), sql: text }),
    });
    for (const { row: id, sealed } of rows) {
      if (!sealed?.startsWith(seal.prefix) || id === "Notice") continue;
      const context = `${table}/${column}/${id}` as SealContext<SealPurpose>;
      decrypted[context] = seal.open(purpose, context, sealed);
    }
  }
  return decrypted;
}
