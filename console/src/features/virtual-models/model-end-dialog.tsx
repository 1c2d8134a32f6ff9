import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import {
  listModelEnds,
  listOwnModelEnds,
  sayModelEnd,
} from "@tollgate/contract/catalogue/model-ends.ts";
import * as z from "zod/mini";
import { api } from "../../api-queries.ts";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";

export type ModelEndDraft = { model: string; ends_on: string; replacement: string };

/**
 * `ModelEndDialog` shows what an administrator says of the end of a model; an empty day says that
 * it does not end.
 */
export function ModelEndDialog({
  initial,
  onClose,
}: {
  initial: ModelEndDraft;
  onClose: () => void;
}) {
  const { t } = useLingui();
  const say = useMutation(
    api.mutation(sayModelEnd, { refreshes: [listModelEnds, listOwnModelEnds] }),
  );
  const form = useContractForm({
    schema: z.object({
      model: z.string().check(z.trim(), z.minLength(1, t`Please enter the name of the model`)),
      ends_on: z.string(),
      replacement: z.string().check(z.trim()),
    }),
    initial,
    onSubmit: async ({ model, ends_on, replacement }) => {
      await say.mutateAsync({
        body: { model, ends_on: ends_on === "" ? null : ends_on, replacement },
      });
      toast(
        ends_on === "" ? t`${model} counts as a model that stays` : t`${model} ends on ${ends_on}`,
      );
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`End of a model`}
      submit={<Trans>Save</Trans>}
      onClose={onClose}
    >
      <TextField
        {...form.field("model")}
        label={t`Model`}
        required
        mono
        help={t`As its provider names it.`}
      />
      <TextField
        {...form.field("ends_on")}
        label={t`Ends on (UTC)`}
        type="date"
        help={t`Calls fail from the beginning of this day. Empty: the model stays, whatever its provider or the list says.`}
      />
      <TextField
        {...form.field("replacement")}
        label={t`In its place`}
        mono
        help={t`Named in alerts and beside the model. No call is redirected.`}
      />
    </FormDialog>
  );
}
