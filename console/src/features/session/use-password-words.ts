import { useLingui } from "@lingui/react/macro";
import type { PasswordWords } from "./registration-schema.ts";

export function usePasswordWords(): PasswordWords {
  const { t } = useLingui();
  return {
    tooShort: t`Password must be at least 8 characters`,
    tooLong: t`Password must be at most 128 characters`,
    confirmation: t`Password confirmation is required`,
    different: t`Passwords don't match`,
  };
}
