/** Sites of older versions of one-api and its forks, which lack columns of today. */
import { DatabaseSync } from "node:sqlite";
import { awkwardRows, createFamilyDatabase, type FamilySystem } from "./family-database.ts";

export interface OlderFamilySite {
  system: FamilySystem;
  version: string;
  /** `columns` hold those that came later, as `table.column`. */
  columns: readonly string[];
}

export const olderFamilySites: readonly OlderFamilySite[] = [
  {
    system: "one-api",
    version: "before settings of channels",
    columns: ["channels.config", "channels.system_prompt", "users.oidc_id", "users.lark_id"],
  },
  {
    system: "one-api",
    version: "before restricted keys",
    columns: [
      ...[
        "tokens.models",
        "tokens.subnet",
        "channels.config",
        "channels.system_prompt",
        "users.oidc_id",
      ],
      ...[
        "users.lark_id",
        "logs.request_id",
        "logs.elapsed_time",
        "logs.system_prompt_reset",
        "logs.is_stream",
      ],
    ],
  },
  {
    system: "laisky-one-api",
    version: "before uuids",
    columns: [
      ...[
        "users.uuid",
        "tokens.uuid",
        "channels.uuid",
        "users.created_at",
        "users.updated_at",
        "tokens.created_at",
      ],
      ...["tokens.updated_at", "channels.hidden_models"],
    ],
  },
  {
    system: "laisky-one-api",
    version: "before prices of channels by model",
    columns: [
      ...[
        "users.uuid",
        "tokens.uuid",
        "channels.uuid",
        "channels.hidden_models",
        "channels.model_configs",
      ],
      ...[
        "channels.testing_model",
        "channels.inference_profile_arn_map",
        "logs.cached_prompt_tokens",
        "logs.metadata",
      ],
    ],
  },
  {
    system: "new-api",
    version: "before channels with several keys",
    columns: ["channels.channel_info", "channels.settings", "tokens.cross_group_retry"],
  },
  {
    system: "new-api",
    version: "before groups of keys",
    columns: [
      ...[
        "channels.channel_info",
        "channels.settings",
        "channels.setting",
        "channels.tag",
        "channels.remark",
      ],
      ...[
        "channels.header_override",
        "channels.status_code_mapping",
        "users.setting",
        "users.linux_do_id",
      ],
      ...[
        "users.remark",
        "tokens.cross_group_retry",
        "tokens.group",
        "redemptions.expired_time",
        "logs.ip",
      ],
    ],
  },
];

/** A SQLite file with the awkward rows; its channels call `upstreamUrl`. */
export function createOlderFamilySite(
  file: string,
  { system, columns }: OlderFamilySite,
  upstreamUrl?: string,
): void {
  createFamilyDatabase(file, system, awkwardRows(system, upstreamUrl));
  const db = new DatabaseSync(file);
  for (const column of columns) {
    const [table, name] = column.split(".");
    db.exec(`alter table ${table} drop column "${name}"`);
  }
  db.close();
}
