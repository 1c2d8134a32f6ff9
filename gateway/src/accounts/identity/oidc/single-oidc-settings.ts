/**
 * The one OpenID Connect provider that systems of this family keep in their settings, as a provider
 * of this gateway. Pure.
 */
import {
  type OidcProviderInput,
  oidcProviderInput,
} from "@tollgate/contract/accounts/oidc-providers.ts";
import * as z from "zod/mini";
import { neededOidcKeys, type SingleOidcKey } from "../../../settings/single-oidc-keys.ts";

/**
 * `documentPath` is the place of a provider's document, by OpenID Connect Discovery 1.0, section 4:
 * the address before it is the issuer.
 */
const documentPath = "/.well-known/openid-configuration";

type SingleOidcProvider =
  | { provider: OidcProviderInput }
  | { missing: readonly SingleOidcKey[] }
  | { problem: string };

/**
 * Switched off: the callback address is another one here, and has to be registered with the
 * provider first. An issuer that ends in a slash cannot be told from its address; the test of the
 * provider names it.
 */
export function buildSingleProvider(textOf: (key: SingleOidcKey) => string): SingleOidcProvider {
  const missing = neededOidcKeys.filter((key) => textOf(key) === "");
  if (missing.length > 0) return { missing };
  const address = textOf("OidcWellKnown");
  if (!address.endsWith(documentPath))
    return { problem: `OidcWellKnown must end in ${documentPath}` };
  const parsed = z.safeParse(oidcProviderInput, {
    slug: "oidc",
    name: "OIDC",
    issuer: address.slice(0, -documentPath.length),
    client_id: textOf("OidcClientId"),
    client_secret: textOf("OidcClientSecret"),
  });
  if (parsed.success) return { provider: parsed.data };
  const [issue] = parsed.error.issues;
  return { problem: `the provider was not accepted: ${issue?.path.join(".")} ${issue?.message}` };
}
