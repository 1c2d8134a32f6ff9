import { Trans, useLingui } from "@lingui/react/macro";
import { bindEmail, bindEmailByGet, sendVerificationByGet } from "@tollgate/contract/registration.ts";
import { getSelf } from "@tollgate/contract/sessions.ts";
import { mailAddress } from "@tollgate/contract/users.ts";
import { useState } from "react";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field-text.tsx";
import { FormCard } from "../../ui/form-card.tsx";
import { useContractForm, useFieldValue } from "../../ui/form-contract.ts";
import { toast } from "../../ui/toast.tsx";
import { useReauth } from "./use-reauth.tsx";

/** Shown when addresses must be verified: the address changes only with a code mailed to the new one. */
export function EmailCard({ current }: { current: string }) {
  const { t } = useLingui();
  const { withReauth, dialog } = useReauth();
  const form = useContractForm({
    schema: z.object({
      email: mailAddress,
      code: z.string().check(z.trim(), z.minLength(1, t`Verification code is required`)),
    }),
    initial: { email: "", code: "" },
    failure: t`Update failed`,
    onSubmit: async (query: { email: string; code: string }) => {
      await withReauth((credentials) =>
        credentials === undefined
          ? api.call(bindEmailByGet, { query })
          : api.call(bindEmail, { body: { ...query, ...credentials } }),
      );
      form.methods.reset({ email: "", code: "" });
      toast(t`Mail address changed`);
      await api.refresh(getSelf);
    },
  });
  return (
    <>
      <FormCard
        form={form}
        title={<Trans>Email</Trans>}
        note={current === "" ? <Trans>No address yet.</Trans> : current}
        submit={<Trans>Change Address</Trans>}
        submitting={<Trans>Updating...</Trans>}
      >
        <TextField
          {...form.field("email")}
          label={t`New address`}
          type="email"
          autoComplete="email"
          maxLength={50}
          required
        />
        <SendCode email={useFieldValue(form, "email")} isValid={() => form.methods.trigger("email")} />
        <TextField
          {...form.field("code")}
          label={t`Verification Code`}
          autoComplete="one-time-code"
          maxLength={20}
          required
        />
      </FormCard>
      {dialog}
    </>
  );
}

function SendCode({ email, isValid }: { email: string; isValid: () => Promise<boolean> }) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const send = async () => {
    if (!(await isValid())) return;
    setBusy(true);
    try {
      await api.call(sendVerificationByGet, { query: { email } });
      toast(t`A code is on its way, if the address can get one.`);
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <Button busy={busy} onClick={() => void send()} className="self-start">
      <Trans>Send Code</Trans>
    </Button>
  );
}
