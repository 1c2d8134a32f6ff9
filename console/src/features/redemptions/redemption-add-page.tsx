import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import { Page } from "../../ui/page.tsx";
import { createdCodes } from "./handed-codes.ts";
import { RedemptionForm } from "./redemption-form.tsx";
import { newRedemption } from "./redemption-form-values.ts";
import { useCodeCreation } from "./use-code-creation.ts";

export function RedemptionAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useCodeCreation();
  return (
    <Page
      title={t`Create Redemption`}
      subtitle={t`Create codes that pay quota to the first user who redeems them`}
    >
      <RedemptionForm
        initial={newRedemption}
        withCount
        submit={<Trans>Create Redemption</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const created = await create(values);
          if (created.codes.length > 0) createdCodes.give(created);
          const state =
            created.failure === undefined ? { message: t`Redemption created successfully` } : {};
          await navigate({ to: "/redemptions", state });
        }}
      />
    </Page>
  );
}
