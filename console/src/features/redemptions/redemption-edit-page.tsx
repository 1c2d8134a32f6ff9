import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import {
  getRedemption,
  listRedemptions,
  type Redemption,
  searchRedemptions,
  updateRedemption,
} from "@tollgate/contract/accounts/redemptions.ts";
import { api } from "../../api-queries.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { RedemptionForm } from "./redemption-form.tsx";
import { buildRedemptionForm, buildRedemptionUpdate } from "./redemption-form-values.ts";
import { isUsed } from "./redemption-screen-rules.ts";

export function RedemptionEditPage() {
  const { t } = useLingui();
  const back = t`Back to redemptions`;
  return (
    <EditPage
      endpoint={getRedemption}
      title={t`Edit Redemption`}
      subtitle={t`Change a code that has not been used`}
      loading={t`Loading redemption...`}
      fields={2}
      list={{ to: "/redemptions", label: back }}
    >
      {(code, onReload) =>
        isUsed(code) ? (
          <Alert tone="info" title={<Trans>This redemption code was used and is final</Trans>}>
            <ButtonLink to="/redemptions" size="sm" className="mt-2">
              {back}
            </ButtonLink>
          </Alert>
        ) : (
          <EditRedemptionForm code={code} onReload={onReload} />
        )
      }
    </EditPage>
  );
}

function EditRedemptionForm({ code, onReload }: { code: Redemption; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const update = useMutation(
    api.mutation(updateRedemption, { refreshes: [listRedemptions, searchRedemptions] }),
  );
  return (
    <RedemptionForm
      initial={buildRedemptionForm(code)}
      withCount={false}
      submit={<Trans>Update Redemption</Trans>}
      submitting={<Trans>Updating...</Trans>}
      onReload={onReload}
      onSubmit={async (values) => {
        await update.mutateAsync({ body: buildRedemptionUpdate(values, code) });
        await navigate({
          to: "/redemptions",
          state: { message: t`Redemption updated successfully` },
        });
      }}
    />
  );
}
