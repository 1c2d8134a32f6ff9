import { useLingui } from "@lingui/react/macro";
import { PasswordField } from "../../ui/form/field-text.tsx";
import type { PasswordMessages } from "./new-password-schema.ts";

export function usePasswordMessages(): PasswordMessages {
  const { t } = useLingui();
  return {
    tooShort: t`Password must be at least 8 characters`,
    tooLong: t`Password must be at most 128 characters`,
    confirmation: t`Password confirmation is required`,
    different: t`Passwords don't match`,
  };
}

type NewPasswordFieldsProps = {
  /** `isFirst` is for a new account: labels without "new", because there is no current password. */
  isFirst?: boolean;
};

/** The password twice, bound to `password` and `password2` of the surrounding form. */
export function NewPasswordFields({ isFirst = false }: NewPasswordFieldsProps) {
  const { t } = useLingui();
  return (
    <>
      <PasswordField
        name="password"
        label={isFirst ? t`Password` : t`New Password`}
        help={t`8 to 128 characters`}
        autoComplete="new-password"
        required
      />
      <PasswordField
        name="password2"
        label={isFirst ? t`Confirm Password` : t`Confirm New Password`}
        autoComplete="new-password"
        required
      />
    </>
  );
}
