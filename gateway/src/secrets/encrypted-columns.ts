/**
 * Every column with sealed values. Nothing can be sealed for a purpose that is not in this list, so
 * a rotation of the master key covers everything.
 */
import { secretOptions } from "../settings/option-defaults.ts";

export interface EncryptedColumn {
  table: string;
  column: string;
  /** The primary key. */
  id: string;
  /** SQL for the row part of the context that a value is sealed for. */
  row: string;
  /** SQL for the rows that are sealed, where the column also holds plain values. */
  filter?: string;
  /** `batchSize` is for large rows: how many may be in memory at once. */
  batchSize?: number;
}

/** `encryptedColumns` go by purpose; each purpose has a derived key of its own. */
export const encryptedColumns = {
  "channel-key": { table: "channels", column: "key_sealed", id: "id", row: "uuid" },
  /** The values of custom headers, as JSON by name. */
  "channel-headers": { table: "channels", column: "headers_sealed", id: "id", row: "uuid" },
  /** The outbound proxy of one channel, with its password. */
  "channel-proxy": {
    table: "channels",
    column: "proxy_sealed",
    id: "id",
    row: "uuid",
    filter: "proxy_sealed <> ''",
  },
  /** An administrator's key of a provider account, for its cost API. */
  "report-key": {
    table: "cost_reports",
    column: "key_sealed",
    id: "channel_uuid",
    row: "channel_uuid",
  },
  "token-key": { table: "tokens", column: "key_sealed", id: "id", row: "uuid" },
  "redemption-code": { table: "redemptions", column: "key_sealed", id: "id", row: "uuid" },
  "totp-seed": {
    table: "second_factors",
    column: "secret_sealed",
    id: "user_id",
    row: "(select uuid from users where users.id = second_factors.user_id)",
  },
  "option-secret": {
    table: "options",
    column: "value",
    id: "key",
    row: "key",
    filter: `key in (${secretOptions.map((key) => `'${key}'`).join(", ")})`,
  },
  "oidc-secret": { table: "oidc_providers", column: "secret_sealed", id: "id", row: "uuid" },
  /** The id token that opened a session, for the sign-out at its provider. */
  "session-id-token": {
    table: "sessions",
    column: "id_token_sealed",
    id: "id_hash",
    row: "id_hash",
  },
  /** `oidc-flow` is what a sign-in with OpenID Connect needs at its callback. */
  "oidc-flow": {
    table: "oauth_states",
    column: "flow_sealed",
    id: "state_hash",
    row: "state_hash",
  },
  /** The address of a destination of notices, with its secrets. */
  destination: {
    table: "destinations",
    column: "target_sealed",
    id: "id",
    row: "uuid",
    filter: "target_sealed <> ''",
  },
  /** The headers of an MCP server, with its credentials, as JSON by name. */
  "mcp-headers": {
    table: "mcp_servers",
    column: "headers_sealed",
    id: "id",
    row: "uuid",
    filter: "headers_sealed <> ''",
  },
  /** The source that an import from the console reads, with passwords and LiteLLM's salt. */
  "import-source": {
    table: "site_imports",
    column: "source_sealed",
    id: "id",
    row: "uuid",
    filter: "source_sealed <> ''",
  },
  /** The key of one call's kept contents, which lie outside of the database. */
  "body-key": {
    table: "call_bodies",
    column: "key_sealed",
    id: "id",
    row: "id",
    filter: "key_sealed <> ''",
  },
  /** `upload-address` is what a provider's address of an unfinished upload holds. */
  "upload-address": {
    table: "provider_uploads",
    column: "address_sealed",
    id: "id_hash",
    row: "id_hash",
  },
  "oauth-result": { table: "oauth_states", column: "result", id: "state_hash", row: "state_hash" },
  /** Under which the ids of agents' runs are hashed. */
  "run-secret": { table: "run_secret", column: "secret_sealed", id: "place", row: "place" },
  "held response": {
    table: "held_responses",
    column: "sealed",
    id: "response_id",
    row: "user_id || '/' || response_id",
    batchSize: 8,
  },
} as const satisfies Record<string, EncryptedColumn>;

export type SealPurpose = keyof typeof encryptedColumns;

/** Table, column and row that a value is sealed for. */
export type SealContext<Purpose extends SealPurpose> =
  `${(typeof encryptedColumns)[Purpose]["table"]}/${(typeof encryptedColumns)[Purpose]["column"]}/${string}`;
