import { Trans, useLingui } from "@lingui/react/macro";
import { listQuotaRequests } from "@tollgate/contract/accounts/quota-requests.ts";
import {
  getUser,
  listUsers,
  searchUsers,
  topUpUser,
} from "@tollgate/contract/accounts/user-admin.ts";
import type { User } from "@tollgate/contract/accounts/users.ts";
import { isUnlimited } from "../../compat/user-compat.ts";
import { QuotaField } from "../../components/forms/quota-field.tsx";
import { useCreation } from "../../components/forms/use-creation.ts";
import { Quota } from "../../components/quota.tsx";
import { TextField } from "../../ui/form/field-text.tsx";
import { useContractForm } from "../../ui/form/form-contract.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { toast } from "../../ui/toast.tsx";
import { buildTopUpBody, defineTopUpSchema, type TopUpFormOutput } from "./user-form-values.ts";

export function UserTopUpDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const { t } = useLingui();
  const topUp = useCreation(topUpUser, [listUsers, searchUsers, getUser, listQuotaRequests]);
  const { username } = user;
  const form = useContractForm({
    schema: defineTopUpSchema(t`Quota must be a whole number, 0 or more`),
    initial: { quota: "", remark: "" },
    onSubmit: async (values: TopUpFormOutput) => {
      await topUp(buildTopUpBody(values, user));
      toast(t`${username} is topped up`);
      onClose();
    },
  });
  return (
    <FormDialog
      form={form}
      title={t`Top up ${username}`}
      submit={<Trans>Top up</Trans>}
      onClose={onClose}
    >
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
