import { Trans, useLingui } from "@lingui/react/macro";
import type { ReactNode } from "react";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import * as z from "zod/mini";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";

type CodeFormProps = {
  label: string;
  help?: ReactNode;
  submit: ReactNode;
  danger?: boolean;
  /** Accepts a recovery code as well. */
  acceptsRecoveryCode?: boolean;
  onCode: (code: string) => Promise<unknown>;
};

/** A form with one field for the six-digit code of an authenticator app. */
export function CodeForm({
  label,
  help,
  submit,
  danger = false,
  acceptsRecoveryCode = false,
  onCode,
}: CodeFormProps) {
  const { t } = useLingui();
  const digits = z.string().check(z.trim(), z.regex(/^[0-9]{6}$/, t`TOTP code must be 6 digits`));
  const anyCode = z.string().check(z.trim(), z.minLength(1, t`A code is required`));
  const form = useContractForm({
    schema: z.object({ totp_code: acceptsRecoveryCode ? anyCode : digits }),
    initial: { totp_code: "" },
    onSubmit: ({ totp_code }: { totp_code: string }) => onCode(totp_code),
  });
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
      <form noValidate onSubmit={form.submit} className="flex flex-col gap-4">
        <TextField
          {...form.field("totp_code")}
          label={label}
          help={help}
          autoComplete="one-time-code"
          {...(acceptsRecoveryCode ? {} : { inputMode: "numeric", maxLength: 6 })}
          mono
          required
        />
        {form.refusal !== undefined && (
          <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
        )}
        <Button
          type="submit"
          variant={danger ? "danger" : "primary"}
          busy={form.isBusy}
          className="self-start"
        >
          {form.isBusy ? <Trans>Checking...</Trans> : submit}
        </Button>
      </form>
    </FormProvider>
  );
}
