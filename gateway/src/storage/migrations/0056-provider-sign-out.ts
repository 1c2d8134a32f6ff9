/** A sign-out here may end the session at the provider too, which wants its id token back as the hint of whose it is. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table oidc_providers add column ends_session bigint not null default 0",
  "alter table sessions add column id_token_sealed text",
];

export const providerSignOut: Migration = {
  id: 56,
  name: "provider sign-out",
  sqlite: statements,
  postgres: statements,
};
