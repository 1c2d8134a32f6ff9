import { listPasskeys } from "@tollgate/contract/accounts/passkeys.ts";
import { getSelf } from "@tollgate/contract/accounts/sessions.ts";
import { getTotpStatus } from "@tollgate/contract/accounts/totp.ts";
import { useState } from "react";
import { readCode, readReason } from "../api-error.ts";
import { api } from "../api-queries.ts";
import { offersPasskeys } from "../components/sign-in/offers-passkeys.ts";
import { getSession } from "../session.ts";
import { type ReauthCredentials, ReauthDialog, type ReauthMethods } from "./reauth-dialog.tsx";

type PendingReauth = {
  methods: ReauthMethods;
  retry: (credentials: ReauthCredentials) => Promise<void>;
  fail: (error: unknown) => void;
};

/** Refusals of the credentials themselves; every other refusal concerns the action. */
const credentialRefusals = new Set([
  "reauth_required",
  "current_password_wrong",
  "sign_in_locked",
  "totp_invalid",
  "totp_tries_over",
  "too_many_requests",
]);

/**
 * Makes a call. When the server requires reauthentication, asks for the password or a TOTP code and
 * repeats the call with it. Without `byCode` only the password is accepted, for calls that already
 * use a code: a code works only once.
 */
export function useReauth({ byCode: allowsCode = true } = {}) {
  const [pending, setPending] = useState<PendingReauth>();

  const withReauth = async <T,>(
    call: (credentials?: ReauthCredentials) => Promise<T>,
  ): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      if (readCode(error) !== "reauth_required") throw error;
      const methods = await readAvailableMethods(allowsCode);
      return await new Promise<T>((succeed, fail) => {
        setPending({
          methods,
          retry: async (credentials) => succeed(await call(credentials)),
          fail,
        });
      });
    }
  };

  /** Returns the reason why the credentials were refused, or null. */
  const confirm = async (
    { retry, fail }: PendingReauth,
    credentials: ReauthCredentials,
  ): Promise<string | null> => {
    try {
      await retry(credentials);
    } catch (error) {
      if (
        credentialRefusals.has(readCode(error)) &&
        (allowsCode || readCode(error) !== "totp_invalid")
      )
        return readReason(error, "");
      fail(error);
    }
    setPending(undefined);
    return null;
  };

  const cancel = ({ fail }: PendingReauth, reason: string) => {
    setPending(undefined);
    fail(new Error(reason));
  };

  return {
    withReauth,
    dialog: pending !== undefined && (
      <ReauthDialog
        methods={pending.methods}
        onConfirm={(credentials) => confirm(pending, credentials)}
        onCancel={(reason) => cancel(pending, reason)}
      />
    ),
  };
}

/** Compatible servers do not send `has_password`: there every account has one. */
async function readAvailableMethods(allowsCode: boolean): Promise<ReauthMethods> {
  const [self, totpStatus, passkeys] = await Promise.allSettled([
    api.call(getSelf),
    allowsCode ? api.call(getTotpStatus) : undefined,
    offersPasskeys(getSession().status) ? api.call(listPasskeys) : undefined,
  ]);
  return {
    password: self.status === "rejected" || self.value.data.has_password !== false,
    code: totpStatus.status === "fulfilled" && totpStatus.value?.data.totp_enabled === true,
    passkey: passkeys.status === "fulfilled" && (passkeys.value?.data.length ?? 0) > 0,
  };
}
