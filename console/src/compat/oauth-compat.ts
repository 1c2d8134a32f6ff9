/** Differences of compatible servers in signing in with an external provider. */
import type { ExternalProvider } from "@tollgate/contract/external-sign-in.ts";

/** Compatible servers carry the redirect path in the state. */
export const redirectInState = (state: string): string | null => /redirect_to=(.*)$/s.exec(state)?.[1] ?? null;

/** Compatible servers do not send these URLs. */
export const defaultAuthorizeUrl: Record<ExternalProvider, string> = {
  github: "https://github.com/login/oauth/authorize",
  lark: "https://open.feishu.cn/open-apis/authen/v1/authorize",
};
