/** The configuration file that manages a provider of OpenID Connect; empty: none. */
import type { Migration } from "./migration.ts";

const statements = ["alter table oidc_providers add column managed_by text not null default ''"];

export const managedOidcProviders: Migration = {
  id: 72,
  name: "managed identity providers",
  sqlite: statements,
  postgres: statements,
};
