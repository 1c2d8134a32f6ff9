import { useLingui } from "@lingui/react/macro";
import type { UserFormMessages } from "./user-form-values.ts";

export function useUserFormMessages(): UserFormMessages & { passwordHelp: string } {
  const { t } = useLingui();
  return {
    usernameMissing: t`Username is required`,
    usernameShort: t`Username must be at least 3 characters`,
    email: t`Valid email is required`,
    passwordShort: t`Password must be at least 6 characters`,
    passwordLong: t`Password must be at most 128 characters`,
    quota: t`Quota must be non-negative`,
    group: t`Group is required`,
    passwordHelp: t`A password under 8 characters is temporary and must be changed at the first sign-in.`,
  };
}
