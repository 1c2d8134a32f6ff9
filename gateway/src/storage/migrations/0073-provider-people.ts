/**
 * What identity providers decide about their people: accounts found by a verified address, passwords closed, keys that rest. Who signed in
 * before this version is not known, so that everyone's days begin with it.
 */
import type { Migration } from "./migration.ts";

const additions = [
  "alter table oidc_providers add column links_verified_mail bigint not null default 0",
  "alter table oidc_providers add column closes_password bigint not null default 0",
  "alter table oidc_providers add column keys_rest_days bigint not null default 0",
  "alter table external_accounts add column signed_in_at bigint not null default 0",
];

export const providerPeople: Migration = {
  id: 73,
  name: "people of identity providers",
  sqlite: [...additions, "update external_accounts set signed_in_at = cast(strftime('%s', 'now') as integer) * 1000"],
  postgres: [...additions, "update external_accounts set signed_in_at = (extract(epoch from now()) * 1000)::bigint"],
};
