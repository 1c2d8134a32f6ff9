import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { findCostReportScope } from "@tollgate/contract/figures/cost-report-types.ts";
import {
  type CostReport,
  compareCostReport,
  listCostReports,
  updateCostReport,
} from "@tollgate/contract/figures/cost-reports.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { PasswordField, TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";

const separators = /[\s,]+/;

export type ReportChannel = Pick<CostReport, "channel_id" | "channel_name" | "type">;

type CostReportDialogProps = {
  channel: ReportChannel;
  report: CostReport | undefined;
  onSaved: () => void;
  onClose: () => void;
};

/** The settings of a report. */
export function CostReportDialog({ channel, report, onSaved, onClose }: CostReportDialogProps) {
  const { t } = useLingui();
  const update = useMutation(
    api.mutation(updateCostReport, { refreshes: [listCostReports, compareCostReport] }),
  );
  const name = channel.channel_name;
  const needsKey = report === undefined || report.failure === "address_changed";
  const example = findCostReportScope(channel.type)?.example ?? "";
  const form = useContractForm({
    schema: z.object({
      key: z
        .string()
        .check(z.trim(), ...(needsKey ? [z.minLength(1, t`Please enter the report key`)] : [])),
      scope: z.string().check(z.trim()),
      channel_ids: z
        .string()
        .check(z.trim(), z.regex(/^(?:\d{1,15}(?:[\s,]+|$))*$/, t`Ids are whole numbers`)),
    }),
    initial: {
      key: "",
      scope: report?.scope ?? "",
      channel_ids: report?.channel_ids.join(", ") ?? "",
    },
    onSubmit: async ({ key, scope, channel_ids }) => {
      const params = { id: channel.channel_id };
      const ids = channel_ids.split(separators).filter(Boolean).map(Number);
      await update.mutateAsync({
        params,
        body: { scope, channel_ids: ids, ...(key !== "" && { key }) },
      });
      toast(t`The report key of ${name} is saved`);
      onClose();
      onSaved();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Report key of ${name}`}
      submit={<Trans>Save and read</Trans>}
      onClose={onClose}
    >
      <PasswordField
        {...form.field("key")}
        label={t`Report key`}
        required={needsKey}
        help={
          needsKey
            ? t`An administrator's key of the provider account.`
            : t`Leave it empty to keep the stored key.`
        }
      />
      <TextField
        {...form.field("scope")}
        label={t`Limited to`}
        help={t`Leave empty for the whole account, or enter ${example}.`}
        mono
        maxLength={110}
      />
      <TextField
        {...form.field("channel_ids")}
        label={t`More channels`}
        help={t`Ids of the other channels that call with the same account, separated by commas.`}
        maxLength={500}
      />
    </FormDialog>
  );
}
