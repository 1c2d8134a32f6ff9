/** Differences of compatible servers in signing in with an external provider. */
import {
  type ExternalProvider,
  externalProviders,
} from "@tollgate/contract/accounts/external-providers.ts";
import type { SiteStatus } from "../session.ts";

/** Compatible servers carry the redirect path in the state. */
export const redirectInState = (state: string): string | null =>
  /redirect_to=(.*)$/s.exec(state)?.[1] ?? null;

/** Compatible servers do not send these URLs. */
export const defaultAuthorizeUrl = {
  github: "https://github.com/login/oauth/authorize",
  lark: "https://open.feishu.cn/open-apis/authen/v1/authorize",
};

/**
 * Compatible servers send no list: each provider has a member of its own. A newer server may name
 * others than this build knows.
 */
export const listOfferedProviders = (status: SiteStatus): readonly ExternalProvider[] =>
  externalProviders.filter((provider) =>
    status.external_providers
      ? status.external_providers.includes(provider)
      : (provider === "github" && status.github_client_id) ||
        (provider === "lark" && status.lark_client_id),
  );
