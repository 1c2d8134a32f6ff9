import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { getToken, listTokens, searchTokens, type Token, updateToken } from "@tollgate/contract/tokens.ts";
import { api } from "../../api-queries.ts";
import { FormLoading } from "../../components/form-loading.tsx";
import { Page } from "../../ui/page.tsx";
import { TokenForm } from "./token-form.tsx";
import { toTokenForm, toTokenUpdate } from "./token-form-values.ts";
import { knowsLimits } from "./token-screen-rules.ts";

export function TokenEditPage() {
  const { t } = useLingui();
  const { id = "" } = useParams({ strict: false });
  // Always the newest, and the one that was read when the form opened: what is typed belongs to that version.
  const token = useQuery({ ...api.query(getToken, { params: { id } }), gcTime: 0, refetchOnReconnect: false });
  return (
    <Page title={t`Edit Token`} subtitle={t`Update token settings`}>
      {token.data === undefined || token.error !== null ? (
        <FormLoading
          source={token}
          text={t`Loading token...`}
          fields={6}
          list={{ to: "/tokens", word: t`Back to tokens` }}
        />
      ) : (
        <EditTokenForm key={token.dataUpdatedAt} token={token.data.data} onReload={() => void token.refetch()} />
      )}
    </Page>
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
