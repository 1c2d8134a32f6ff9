import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import {
  createToken,
  listTokens,
  searchTokens,
  type Token,
} from "@tollgate/contract/accounts/tokens.ts";
import { useState } from "react";
import { useCreation } from "../../components/forms/use-creation.ts";
import { createdKey } from "../../components/use-key/created-key.ts";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Page } from "../../ui/page.tsx";
import { type SpendingLimitWarning, saveSpendingLimit } from "./save-spending-limit.ts";
import { TokenForm } from "./token-form.tsx";
import { buildTokenCreate, newToken } from "./token-form-values.ts";
import { NewKeyDialog } from "./token-new-key.tsx";

export function TokenAddPage() {
  const { t } = useLingui();
  const navigate = useNavigate();
  // A server without limits drops them, and would still report success.
  const knowsTokenLimits = hasFeature(useSession().status, "token_limits");
  const create = useCreation(createToken, [listTokens, searchTokens]);
  const [shownOnce, setShownOnce] = useState<Token>();
  const [warning, setWarning] = useState<SpendingLimitWarning>();
  const leave = (unsaved = warning) =>
    navigate({ to: "/tokens", state: unsaved ?? { message: t`Token created successfully` } });
  return (
    <Page
      title={t`Create Token`}
      subtitle={t`Create a new API token`}
      action={
        <ButtonLink to="/tokens/batch">
          <Trans>Several keys</Trans>
        </ButtonLink>
      }
    >
      <TokenForm
        initial={newToken}
        hasLimits={knowsTokenLimits}
        submit={<Trans>Create Token</Trans>}
        submitting={<Trans>Creating...</Trans>}
        onSubmit={async (values) => {
          const body = buildTokenCreate(values);
          const { data, key_shown_once } = await create(body);
          if (data?.key) createdKey.give(data);
          const unsaved = data && (await saveSpendingLimit(data, values));
          setWarning(unsaved);
          if (key_shown_once === true) setShownOnce(data);
          else await leave(unsaved);
        }}
      />
      {shownOnce !== undefined && <NewKeyDialog token={shownOnce} onDone={() => void leave()} />}
    </Page>
  );
}
