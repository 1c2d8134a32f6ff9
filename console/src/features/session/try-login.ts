import { getSelf, login } from "@tollgate/contract/accounts/sessions.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { call } from "../../api-call.ts";
import { findRequestId, readReason } from "../../api-error.ts";
import { defaultCredentials, requiresTotp } from "../../compat/sign-in-compat.ts";
import { sendLanguage } from "../../send-language.ts";
import { getSession, isHeldBack, type SessionUser, signIn, updateUser } from "../../session.ts";
import {
  chooseLandingPath,
  passwordChangePath,
  redirectTarget,
} from "../../shell/redirect-target.ts";

export type LoginFailure = { kind: "failed"; reason: string; requestId: string | undefined };
export type LoginOutcome =
  | { kind: "signed-in"; user: SessionUser }
  | { kind: "totp-required" }
  | LoginFailure;

export async function tryLogin(
  username: string,
  password: string,
  code: string,
  fallback: string,
): Promise<LoginOutcome> {
  try {
    const body = { username, password, ...buildSecondFactor(code) };
    const { data } = await call(login, { body });
    return { kind: "signed-in", user: await enterConsole(data) };
  } catch (error) {
    if (code === "" && requiresTotp(error)) return { kind: "totp-required" };
    return { kind: "failed", reason: readReason(error, fallback), requestId: findRequestId(error) };
  }
}

function buildSecondFactor(code: string) {
  if (code === "") return {};
  return /^[0-9]{6}$/.test(code) ? { totp_code: code } : { recovery_code: code };
}

/** Stores the signed-in user, for every kind of sign-in. */
export async function enterConsole(data: User): Promise<SessionUser> {
  // Compatible servers put a playground key into the reply; the gateway only sets the cookie.
  const { token, ...user } = data as User & { token?: string };
  if (user.username === "") {
    // The reply to the sign-in names no one: the account itself does, or the sign-in fails.
    const own = (await call(getSelf)).data;
    signIn(own, token);
    void sendLanguage();
    return own;
  }
  signIn(user, token);
  void sendLanguage();
  await loadOwnAccount();
  return getSession().user ?? user;
}

/** The reply to a sign-in lacks quota and group, which the account has. */
async function loadOwnAccount() {
  try {
    updateUser((await call(getSelf)).data);
  } catch (error) {
    console.error("The own account could not be loaded", error);
  }
}

export function readDestination(
  user: SessionUser,
  typed: { username: string; password: string },
  redirectTo: string | undefined,
): string {
  const isDefault =
    typed.username === defaultCredentials.username &&
    typed.password === defaultCredentials.password;
  if (isDefault) {
    console.warn("You signed in with the default password. Change it now.");
    updateUser({ has_default_password: true });
    return passwordChangePath;
  }
  return chooseLandingPath(
    redirectTarget(redirectTo, location.origin) ?? "/dashboard",
    isHeldBack(user),
  );
}
