/**
 * The row of a new OpenID Connect provider, from the form, a configuration file, an import or
 * settings of another system.
 */

import {
  type OidcProviderInput,
  oidcProvidersMax,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { Write } from "../../../storage/database.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import { buildOidcProviderColumns, isSameClient } from "./oidc-provider-rules.ts";
import type { OidcProviderRow, OidcProviderStore } from "./oidc-provider-store.ts";
import { sealOidcSecret } from "./oidc-secret.ts";

interface NewOidcProvider {
  uuid: string;
  /** `columns` are what the record of changes shows: no secret. */
  columns: { slug: string } & ReturnType<typeof buildOidcProviderColumns>;
  write: Write;
}

export function addOidcProvider(
  { store, seal }: { store: OidcProviderStore; seal: Sealer },
  input: OidcProviderInput,
  now: number,
  managedBy = "",
): NewOidcProvider {
  const uuid = readUuid7(now);
  const columns = { slug: input.slug, ...buildOidcProviderColumns(input) };
  const secret_sealed = input.client_secret
    ? sealOidcSecret(seal, uuid, input.client_secret)
    : null;
  return {
    uuid,
    columns,
    write: store.insert({
      uuid,
      ...columns,
      secret_sealed,
      managed_by: managedBy,
      created_at: now,
      updated_at: now,
    }),
  };
}

/**
 * `takeOverRefusal` says why settings do not become a provider beside those that exist; a form
 * would show them to root instead.
 */
export function takeOverRefusal(
  existing: readonly OidcProviderRow[],
  input: OidcProviderInput,
): ErrorCode | undefined {
  if (existing.some((row) => isSameClient(row, input))) return "oidc_client_exists";
  if (existing.some(({ slug }) => slug === input.slug)) return "oidc_slug_taken";
  return existing.length >= oidcProvidersMax ? "oidc_providers_full" : undefined;
}
