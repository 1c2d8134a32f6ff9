import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { getToken, listTokens, searchTokens, type Token, updateToken } from "@tollgate/contract/tokens.ts";
import { api } from "../../api-queries.ts";
import { knowsLimits } from "../../compat/token-compat.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { TokenForm } from "./token-form.tsx";
import { toTokenForm, toTokenUpdate } from "./token-form-values.ts";

export function TokenEditPage() {
  const { t } = useLingui();
  return (
    <EditPage
      endpoint={getToken}
      title={t`Edit Token`}
      subtitle={t`Update token settings`}
      loading={t`Loading token...`}
      fields={6}
      list={{ to: "/tokens", label: t`Back to tokens` }}
    >
      {(token, onReload) => <EditTokenForm token={token} onReload={onReload} />}
    </EditPage>
  );
}

function EditTokenForm({ token, onReload }: { token: Token; onReload: () => void }) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const update = useMutation(api.mutation(updateToken, { refreshes: [listTokens, searchTokens] }));
  return (
    <TokenForm
      initial={toTokenForm(token)}
      hasLimits={knowsLimits(token)}
      submit={<Trans>Update Token</Trans>}
      submitting={<Trans>Updating...</Trans>}
      onReload={onReload}
      onSubmit={async (values) => {
        await update.mutateAsync({ body: toTokenUpdate(values, token, Date.now() / 1000) });
        await navigate({ to: "/tokens", state: { message: t`Token updated successfully` } });
      }}
    />
  );
}
