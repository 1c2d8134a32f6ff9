import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type Budget, listOwnBudgets } from "@tollgate/contract/accounts/budgets.ts";
import { isMaskedKey } from "@tollgate/contract/accounts/mask-key.ts";
import {
  getToken,
  listTokens,
  searchTokens,
  type Token,
  updateToken,
} from "@tollgate/contract/accounts/tokens.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { Terminal } from "lucide-react";
import { type ReactNode, useState } from "react";
import { api } from "../../api-queries.ts";
import { knowsLimits } from "../../compat/token-compat.ts";
import { EditPage } from "../../components/forms/edit-page.tsx";
import { FormLoading } from "../../components/forms/form-loading.tsx";
import { tokenStatuses } from "../../components/keys/token-statuses.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { ThingPage, ThingSubtitle } from "../../components/things/thing-page.tsx";
import { buildEditFrame } from "../../components/things/thing-tabs.tsx";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { OldKeyFacts } from "./old-key-facts.tsx";
import { PauseNote } from "./pause-note.tsx";
import { saveSpendingLimit } from "./save-spending-limit.ts";
import { TokenForm } from "./token-form.tsx";
import { buildTokenForm, buildTokenUpdate } from "./token-form-values.ts";
import { TokenOverview } from "./token-overview.tsx";

const UseProvedKeyDialog = buildLazyPart(
  async () => (await import("./proved-key.tsx")).UseProvedKeyDialog,
);

/** `TokenPage` is about one of the reader's own keys. */
export function TokenPage() {
  const { t } = useLingui();
  return (
    <ThingPage
      endpoint={getToken}
      kind="tokens"
      title={t`API key`}
      loading={t`Loading token...`}
      list={{ to: "/tokens", label: t`Back to tokens` }}
      nameOf={({ name }) => name}
      subtitle={({ status }) => (
        <ThingSubtitle kind={<Trans>API key</Trans>}>
          <StatusBadge label={tokenStatuses[status]} />
        </ThingSubtitle>
      )}
      action={(token) => <UseKeyButton token={token} />}
    >
      {(token) => <TokenOverview token={token} />}
    </ThingPage>
  );
}

function UseKeyButton({ token }: { token: Token }) {
  const [isOpen, setOpen] = useState(false);
  const { status } = useSession();
  const isMasked = isMaskedKey(token.key);
  if (token.key === "" || (isMasked && status.proves_key_owner !== true)) return null;
  const close = () => setOpen(false);
  return (
    <>
      <Button variant="primary" icon={<Terminal />} onClick={() => setOpen(true)}>
        <Trans>Use this key</Trans>
      </Button>
      {isOpen && !isMasked && <UseKeyDialog token={token} onClose={close} />}
      {isOpen && isMasked && <UseProvedKeyDialog token={token} onClose={close} />}
    </>
  );
}

const formFields = 6;

const EditFrame = buildEditFrame("tokens");

export function TokenEditPage() {
  const { t } = useLingui();
  const knowsBudgets = hasFeature(useSession().status, "budgets");
  return (
    <EditPage
      endpoint={getToken}
      frame={EditFrame}
      title={t`Edit Token`}
      subtitle={t`Update token settings`}
      loading={t`Loading token...`}
      fields={formFields}
      list={{ to: "/tokens", label: t`Back to tokens` }}
    >
      {(token, onReload) =>
        knowsBudgets ? (
          <WithBudgets token={token}>
            {(budgets) => <EditTokenForm token={token} budgets={budgets} onReload={onReload} />}
          </WithBudgets>
        ) : (
          <EditTokenForm token={token} onReload={onReload} />
        )
      }
    </EditPage>
  );
}

type WithBudgetsProps = { token: Token; children: (budgets: readonly Budget[]) => ReactNode };

/** Read like the token itself: never from a cache, and not again under the form. */
function WithBudgets({ token, children }: WithBudgetsProps) {
  const { t } = useLingui();
  const budgets = useQuery({
    ...api.query(listOwnBudgets, { query: { token_id: token.id, size: pageSizeMax } }),
    gcTime: 0,
    refetchOnReconnect: false,
  });
  if (budgets.data === undefined || budgets.error !== null)
    return <FormLoading source={budgets} text={t`Loading token...`} fields={formFields} />;
  return children(budgets.data.data);
}

type EditTokenFormProps = { token: Token; budgets?: readonly Budget[]; onReload: () => void };

function EditTokenForm({ token, budgets = [], onReload }: EditTokenFormProps) {
  const { t } = useLingui();
  const navigate = useNavigate();
  const spending = budgets.find(({ by_owner }) => by_owner === true);
  const update = useMutation(api.mutation(updateToken, { refreshes: [listTokens, searchTokens] }));
  return (
    <>
      {token.old_key_until > 0 && <OldKeyFacts token={token} />}
      {token.paused && (
        <Alert tone="warn" title={t`The key is paused`}>
          <PauseNote pause={token.paused} />
        </Alert>
      )}
      <TokenForm
        initial={buildTokenForm(token, spending)}
        budgets={budgets}
        hasLimits={knowsLimits(token)}
        submit={<Trans>Update Token</Trans>}
        submitting={<Trans>Updating...</Trans>}
        onReload={onReload}
        onSubmit={async (values) => {
          await update.mutateAsync({ body: buildTokenUpdate(values, token, Date.now() / 1000) });
          const unsaved = await saveSpendingLimit(token, values, spending);
          await navigate({
            to: "/tokens",
            state: unsaved ?? { message: t`Token updated successfully` },
          });
        }}
      />
    </>
  );
}
