/** Credentials that this gateway presents to a provider, read from the settings at each use. */
import type { ExternalProvider } from "@tollgate/contract/accounts/external-providers.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import {
  externalProviderOptions,
  isProviderOn,
} from "../../../settings/external-provider-options.ts";
import { type OptionReader, openSecret } from "../../../settings/live-options.ts";

export interface ProviderCredentials {
  clientId: string;
  clientSecret: string;
  /** Undefined while the operator has not said which address this server has. */
  redirectUri: string | undefined;
  /** `codeServer` is that of WeChat alone; without a trailing slash. */
  codeServer: string;
  /** `minimumTrustLevel` is that of LinuxDO: 0 to 4. */
  minimumTrustLevel: number;
}

interface ProviderCredentialsDeps {
  options: OptionReader;
  seal: Sealer;
  publicUrl: string | undefined;
}

export type FindProviderCredentials = (
  provider: ExternalProvider,
) => ProviderCredentials | undefined;

const trimSlash = (address: string) => address.replace(/\/+$/, "");

/** The credentials are undefined for a provider that is off. */
export function createProviderCredentials({
  options,
  seal,
  publicUrl,
}: ProviderCredentialsDeps): FindProviderCredentials {
  return (provider) => {
    if (!isProviderOn(options, provider)) return undefined;
    const { clientId, codeServer, secret } = externalProviderOptions[provider];
    // From the settings and never from the request: a forged host must not send authorization codes
    // elsewhere.
    const server = trimSlash(publicUrl ?? options.text("ServerAddress"));
    return {
      clientId: clientId === undefined ? "" : options.text(clientId),
      codeServer: codeServer === undefined ? "" : trimSlash(options.text(codeServer)),
      clientSecret: openSecret(options, seal, secret),
      redirectUri: server === "" ? undefined : `${server}/oauth/${provider}`,
      minimumTrustLevel: options.number("LinuxDOMinimumTrustLevel"),
    };
  };
}
