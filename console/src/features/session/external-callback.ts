import {
  finishDiscord,
  finishGithub,
  finishLark,
  finishLinuxdo,
  finishOidc,
  finishProxySignIn,
  finishTelegram,
  finishWechat,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { call } from "../../api-call.ts";
import { ApiError, findRequestId, readCode, readReason } from "../../api-error.ts";
import { requiresTotp } from "../../compat/sign-in-compat.ts";
import {
  isOidc,
  readOidcSlug,
  type SignInProvider,
} from "../../components/sign-in/external-sign-in-start.ts";
import type { SessionUser } from "../../session.ts";
import { enterConsole, type LoginFailure } from "./try-login.ts";

export type CallbackOutcome =
  | { kind: "bound" }
  | { kind: "signed-in"; user: SessionUser }
  | { kind: "totp-required" }
  /** An account has the address that the provider verified; a code was mailed there. */
  | { kind: "code-required"; email: string }
  | LoginFailure;

const retryDelaysMs = [2000, 4000, 6000] as const;
export const retriesMax = retryDelaysMs.length;

const endpoints = {
  github: finishGithub,
  lark: finishLark,
  discord: finishDiscord,
  linuxdo: finishLinuxdo,
  telegram: finishTelegram,
  wechat: finishWechat,
  proxy: finishProxySignIn,
};

/** The gateway answers the same callback the same way for a minute, so a retry is safe. */
export async function finishCallback(
  provider: SignInProvider,
  query: { code: string; state: string; iss?: string },
  signal: AbortSignal,
  onRetry: (retry: number, failure: LoginFailure) => void,
): Promise<CallbackOutcome> {
  for (let retry = 1; ; retry += 1) {
    try {
      const { data, message } = isOidc(provider)
        ? await call(finishOidc, { params: { slug: readOidcSlug(provider) }, query, signal })
        : await call(endpoints[provider], { query, signal });
      if (message === "bind" || data === null) return { kind: "bound" };
      return { kind: "signed-in", user: await enterConsole(data) };
    } catch (error) {
      if (requiresTotp(error)) return { kind: "totp-required" };
      if (readCode(error) === "external_code_required")
        return { kind: "code-required", email: readMailed(error) };
      const failure: LoginFailure = {
        kind: "failed",
        reason: readReason(error, ""),
        requestId: findRequestId(error),
      };
      const waitMs = retryDelaysMs[retry - 1];
      // A refusal of the provider is final.
      if (waitMs === undefined || signal.aborted || readCode(error) === "external_refused")
        return failure;
      onRetry(retry, failure);
      await delay(waitMs, signal);
      if (signal.aborted) return failure;
    }
  }
}

const readMailed = (error: unknown): string =>
  error instanceof ApiError
    ? String((error.data as { email?: unknown } | undefined)?.email ?? "")
    : "";

/** Resolves early when `signal` aborts. */
export function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
