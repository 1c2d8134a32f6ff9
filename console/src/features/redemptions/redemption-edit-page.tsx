import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import {
  getRedemption,
  listRedemptions,
  type Redemption,
  searchRedemptions,
  updateRedemption,
} from "@tollgate/contract/redemptions.ts";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/form-loading.tsx";
import { Alert } from "../../ui/alert.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { RedemptionForm } from "./redemption-form.tsx";
import { toRedemptionForm, toRedemptionUpdate } from "./redemption-form-values.ts";
import { isUsed } from "./redemption-screen-rules.ts";

export function RedemptionEditPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  // Always the newest, and the one that was read when the form opened: what is typed belongs to that version.
  const code = useQuery({ ...api.query(getRedemption, { params: { id } }), gcTime: 0, refetchOnReconnect: false });
  const back = t`Back to redemptions`;
  return (
    <Page title={t`Edit Redemption`} subtitle={t`Change a code that nobody has used yet`}>
      {code.data === undefined || code.error !== null ? (
        <FormLoading
          source={code}
          text={t`Loading redemption...`}
          fields={2}
          list={{ to: "/redemptions", word: back }}
        />
      ) : isUsed(code.data.data) ? (
        <Alert tone="info" title={<Trans>This redemption code was used and is final</Trans>}>
          <ButtonLink to="/redemptions" size="sm" className="mt-2">
            {back}
          </ButtonLink>
        </Alert>
      ) : (
        <EditRedemptionForm key={code.dataUpdatedAt} code={code.data.data} onReload={() => void code.refetch()} />
      )}
    </Page>
  );
}

function EditRedemptionForm({ code, onReload }: { code: Redemption; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const update = useMutation(api.mutation(updateRedemption, { refreshes: [listRedemptions, searchRedemptions] }));
  return (
    <RedemptionForm
      initial={toRedemptionForm(code)}
      withCount={false}
      submit={<Trans>Update Redemption</Trans>}
      submitting={<Trans>Updating...</Trans>}
      onReload={onReload}
      onSubmit={async (values) => {
        await update.mutateAsync({ body: toRedemptionUpdate(values, code) });
        await navigate({ to: "/redemptions", state: { message: t`Redemption updated successfully` } });
      }}
    />
  );
}
