import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { createToken, listTokens, searchTokens } from "@tollgate/contract/tokens.ts";
import { api } from "../../api.ts";
import { useIdempotencyKey } from "../../pieces/idempotency-key.ts";
import { Page } from "../../ui/page.tsx";
import { TokenForm } from "./token-form.tsx";
import { newToken, toCreation } from "./token-form-values.ts";

export function TokenAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  const create = useMutation(api.mutation(createToken, { refreshes: [listTokens, searchTokens] }));
  const keyFor = useIdempotencyKey();
  return (
    <Page title={t`Create Token`} subtitle={t`Create a new API token`}>
      <TokenForm
        initial={newToken}
        submit={<Trans>Create Token</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const body = toCreation(values);
          await create.mutateAsync({ body, idempotencyKey: keyFor(body) });
          await navigate({ to: "/tokens", state: { message: t`Token created successfully` } });
        }}
      />
    </Page>
  );
}
