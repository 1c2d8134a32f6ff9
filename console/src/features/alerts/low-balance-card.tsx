import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  getNoticeSettings,
  setNoticeSettings,
} from "@tollgate/contract/notices/own-destinations.ts";
import { type FieldValues, FormProvider, type UseFormReturn } from "react-hook-form";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { CardLoading } from "../../components/forms/form-loading.tsx";
import { DollarField } from "../../components/forms/quota-field.tsx";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";
import { Quota } from "../../components/quota.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { toast } from "../../ui/toast.tsx";

/** Below which balance the user is told. */
export function LowBalanceCard() {
  const settings = useQuery({ ...api.query(getNoticeSettings), refetchOnReconnect: false });
  return (
    <Card
      title={<Trans>Low balance</Trans>}
      note={
        <Trans>
          You get a notice when your balance falls below this, and another when it is 10% above it
          again.
        </Trans>
      }
    >
      {settings.data === undefined ? (
        <CardLoading source={settings} />
      ) : (
        <LowBalanceForm {...settings.data.data} />
      )}
    </Card>
  );
}

type LowBalanceFormProps = { balance_below: number; site_balance_below: number };

function LowBalanceForm({ balance_below, site_balance_below }: LowBalanceFormProps) {
  const { t } = useLingui();
  const form = useContractForm({
    schema: z.object({
      balance_below: defineWholeNumber(t`Quota must be a whole number, 0 or more`),
    }),
    initial: { balance_below: numberText(balance_below) },
    onSubmit: async (body: { balance_below: number }) => {
      await api.change(setNoticeSettings, [getNoticeSettings], { body });
      toast(t`Saved`);
    },
  });
  return (
    <FormProvider {...(form.methods as unknown as UseFormReturn<FieldValues>)}>
      <form noValidate onSubmit={form.submit} className="flex max-w-[560px] flex-col gap-4">
        <DollarField
          {...form.field("balance_below")}
          label={t`Balance below`}
          note={
            <Trans>
              0 for the threshold of this server, <Quota units={site_balance_below} />.
            </Trans>
          }
        />
        {form.refusal !== undefined && (
          <Alert title={form.refusal.message} requestId={form.refusal.requestId} />
        )}
        <Button type="submit" variant="primary" busy={form.isBusy} className="self-start">
          <Trans>Save</Trans>
        </Button>
      </form>
    </FormProvider>
  );
}
