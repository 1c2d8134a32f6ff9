/** The client secret of an OpenID Connect provider, sealed for its row. */
import type { Sealer } from "../../../secrets/seal.ts";
import type { OidcClientSettings } from "./oidc-client.ts";
import type { OidcProviderRow } from "./oidc-provider-store.ts";

const purpose = "oidc-secret";
const composeContext = (uuid: string) => `oidc_providers/secret_sealed/${uuid}` as const;

export const sealOidcSecret = (seal: Sealer, uuid: string, secret: string): string =>
  seal.seal(purpose, composeContext(uuid), secret);

/** Undefined for a public client. */
export const openOidcSecret = (
  seal: Sealer,
  row: Pick<OidcProviderRow, "uuid" | "secret_sealed">,
) =>
  row.secret_sealed === null
    ? undefined
    : seal.open(purpose, composeContext(row.uuid), row.secret_sealed);

export const buildOidcClientSettings = (
  seal: Sealer,
  row: OidcProviderRow,
): OidcClientSettings => ({
  issuer: row.issuer,
  clientId: row.client_id,
  clientSecret: openOidcSecret(seal, row),
  scopes: row.scopes,
});
