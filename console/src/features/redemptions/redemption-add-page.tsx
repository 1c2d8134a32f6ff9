import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createRedemptions, listRedemptions, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { api } from "../../api-queries.ts";
import { useIdempotencyKey } from "../../components/idempotency-key.ts";
import { Page } from "../../ui/page.tsx";
import { RedemptionForm } from "./redemption-form.tsx";
import { newRedemption, toRedemptionCreate } from "./redemption-form-values.ts";

export function RedemptionAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useMutation(api.mutation(createRedemptions, { refreshes: [listRedemptions, searchRedemptions] }));
  const keyFor = useIdempotencyKey();
  return (
    <Page title={t`Create Redemption`} subtitle={t`Create codes that pay quota to whoever redeems them first`}>
      <RedemptionForm
        initial={newRedemption}
        withCount
        submit={<Trans>Create Redemption</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const body = toRedemptionCreate(values);
          await create.mutateAsync({ body, idempotencyKey: keyFor(body) });
          await navigate({ to: "/redemptions", state: { message: t`Redemption created successfully` } });
        }}
      />
    </Page>
  );
}
