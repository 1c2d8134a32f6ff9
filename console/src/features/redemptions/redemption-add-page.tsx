import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { createRedemptions, listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { useCreation } from "../../components/use-creation.ts";
import { Page } from "../../ui/page.tsx";
import { RedemptionForm } from "./redemption-form.tsx";
import { newRedemption, toRedemptionCreate } from "./redemption-form-values.ts";

export function RedemptionAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCreation(createRedemptions, [listRedemptions, searchRedemptions]);
  return (
    <Page title={t`Create Redemption`} subtitle={t`Create codes that pay quota to the first user who redeems them`}>
      <RedemptionForm
        initial={newRedemption}
        withCount
        submit={<Trans>Create Redemption</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          await create(toRedemptionCreate(values));
          await navigate({ to: "/redemptions", state: { message: t`Redemption created successfully` } });
        }}
      />
    </Page>
  );
}
