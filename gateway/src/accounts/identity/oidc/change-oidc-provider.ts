/**
 * The statements that change an OpenID Connect provider, from its form or a configuration document.
 */
import { findNamedChanges } from "../../../http/member-changes.ts";
import { refuse } from "../../../http/refusal.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import type { Write } from "../../../storage/database.ts";
import {
  buildOidcProviderColumns,
  isSameClient,
  isSameIssuer,
  type OidcProviderSettings,
} from "./oidc-provider-rules.ts";
import type { OidcProviderRow, OidcProviderStore } from "./oidc-provider-store.ts";
import { sealOidcSecret } from "./oidc-secret.ts";

interface OidcProviderEdit {
  settings: OidcProviderSettings;
  /** Undefined keeps the secret, and an empty one makes a public client. */
  secret: string | undefined;
  /** The configuration file that the provider belongs to afterwards. */
  managedBy: string;
  now: number;
}

interface OidcProviderUpdate {
  /** The row as it will be. */
  after: OidcProviderRow;
  writes: Write[];
  /** `change` is what the record of changes shows: no secret. */
  change: Record<string, unknown>;
}

export function planOidcProviderUpdate(
  { store, seal }: { store: OidcProviderStore; seal: Sealer },
  row: OidcProviderRow,
  { settings, secret, managedBy, now }: OidcProviderEdit,
): OidcProviderUpdate {
  const secret_sealed = chooseSecret(seal, row, settings, secret);
  const columns = buildOidcProviderColumns(settings);
  const changed = {
    ...columns,
    ...(secret_sealed !== undefined && { secret_sealed }),
    managed_by: managedBy,
    updated_at: Math.max(now, row.updated_at + 1),
  };
  const isRenamed = row.issuer !== settings.issuer && isSameIssuer(row.issuer, settings.issuer);
  return {
    after: { ...row, ...changed },
    writes: [
      store.update(row, changed),
      ...(isRenamed ? store.moveAccounts(row.issuer, settings.issuer) : []),
    ],
    change: {
      ...findNamedChanges(row, { ...columns, managed_by: managedBy }),
      ...(secret_sealed !== undefined && { client_secret: "changed" }),
    },
  };
}

/** Undefined keeps the secret, and null is a public client. */
function chooseSecret(
  seal: Sealer,
  row: OidcProviderRow,
  settings: OidcProviderSettings,
  given: string | undefined,
): string | null | undefined {
  if (given !== undefined) return given === "" ? null : sealOidcSecret(seal, row.uuid, given);
  if (row.secret_sealed !== null && !isSameClient(row, settings))
    throw refuse("oidc_secret_required");
  return undefined;
}
