import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  listOwnDestinations,
  type OwnDestination,
  sendOwnDestinationCode,
  verifyOwnDestination,
} from "@tollgate/contract/notices/own-destinations.ts";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { toastError } from "../../components/toast-failure.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { DeliveryAnswer } from "./delivery-answer.tsx";

/** Sends a code to a destination and asks for it: only then is anything else sent there. */
export function VerifyDestination({ destination: { id, name } }: { destination: OwnDestination }) {
  const { t } = useLingui();
  const params = { id: String(id) };
  const code = useMutation(api.mutation(sendOwnDestinationCode));
  const sent = code.isPending ? undefined : code.data?.data;
  return (
    <div className="flex w-full flex-col gap-3">
      <p className="text-muted text-sm">
        <Trans>This destination gets notices once you have entered the code sent to it.</Trans>
      </p>
      {sent?.delivered === false && (
        <Alert title={<Trans>The code was not delivered.</Trans>}>
          {sent.answer !== "" && <DeliveryAnswer answer={sent.answer} />}
        </Alert>
      )}
      {sent?.delivered === true && <CodeOfDestination params={params} />}
      <Button
        size="sm"
        className="self-start"
        busy={code.isPending}
        aria-label={t`Send a code to ${name}`}
        onClick={() => code.mutate({ params }, { onError: toastError })}
      >
        <Trans>Send a code</Trans>
      </Button>
    </div>
  );
}

function CodeOfDestination({ params }: { params: { id: string } }) {
  const { t } = useLingui();
  const digits = z
    .string()
    .check(z.trim(), z.regex(/^\d{6}$/, t`Enter the six digits of the code`));
  const form = useContractForm({
    schema: z.object({ verification_code: digits }),
    initial: { verification_code: "" },
    onSubmit: async (body: { verification_code: string }) => {
      await api.change(verifyOwnDestination, [listOwnDestinations], { params, body });
    },
  });
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
      <form noValidate onSubmit={form.submit} className="flex flex-col gap-3">
        <TextField
          {...form.field("verification_code")}
          label={t`Code`}
          help={t`We sent it a moment ago. It works once, for 10 minutes.`}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={6}
          mono
          required
        />
        {form.refusal !== undefined && (
          <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
        )}
        <Button type="submit" variant="primary" size="sm" busy={form.isBusy} className="self-start">
          <Trans>Verify</Trans>
        </Button>
      </form>
    </FormProvider>
  );
}
