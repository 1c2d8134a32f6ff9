import { Trans, useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/quota-requests.ts";
import { listUsers, searchUsers, topUpUser } from "@tollgate/contract/user-admin.ts";
import type { User } from "@tollgate/contract/users.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { Quota } from "../../components/quota.tsx";
import { QuotaField } from "../../components/quota-field.tsx";
import { useCreation } from "../../components/use-creation.ts";
import { TextField } from "../../ui/field-text.tsx";
import { useContractForm } from "../../ui/form-contract.ts";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { type TopUpFormOutput, topUpSchema, toTopUpBody } from "./user-form-values.ts";

export function UserTopUpDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useLingui();
  const topUp = useCreation(topUpUser, [listUsers, searchUsers, listQuotaRequests]);
  const { username } = user;
  const form = useContractForm({
    schema: topUpSchema(t`Quota must be a whole number, 0 or more`),
    initial: { quota: "", remark: "" },
    onSubmit: async (values: TopUpFormOutput) => {
      await topUp(toTopUpBody(values, user));
      toast(t`${username} is topped up`);
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={t`Top up ${username}`} submit={<Trans>Top up</Trans>} onClose={onClose}>
      <p className="text-muted">
        <Trans>
          Balance now: <Quota units={user.quota} unlimited={isUnlimited(user)} />
        </Trans>
      </p>
      <QuotaField {...form.field("quota")} label={t`Quota`} />
      <TextField
        {...form.field("remark")}
        label={t`Remark`}
        help={t`Optional. The owner sees it in the logs.`}
        maxLength={255}
      />
    </FormDialog>
  );
}
