import { Trans, useLingui } from "@lingui/react/macro";
import { findToken, listTokens, searchTokens, tokenSorts } from "@tollgate/contract/tokens.ts";
import { Plus } from "lucide-react";
import { useEffect, useState } from "react";
import { entityRef } from "../../compat/entity-ids.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { createdKey, forgetCreatedKey } from "../../components/use-key/created-key.ts";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { useResourceList } from "../../components/use-resource-list.ts";
import { wholeKey } from "../../components/whole-secret.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { Page } from "../../ui/page.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { columnsFor } from "./token-columns.tsx";
import { TokenRowActions, tokenName } from "./token-row-actions.tsx";

export function TokenListPage() {
  const { t } = useLingui();
  const [created, setCreated] = useState(createdKey);
  const closeCreated = () => {
    forgetCreatedKey();
    setCreated(undefined);
  };
  // Leaving the page closes the dialog for good, too.
  useEffect(() => forgetCreatedKey, []);
  const { table, searchBox } = useResourceList({
    list: listTokens,
    search: searchTokens,
    sorts: tokenSorts,
    secrets: { ...wholeKey, find: findToken },
    suggestion: (token) => ({ id: entityRef(token), text: token.name }),
  });
  return (
    <Page title={t`Tokens`} subtitle={t`Manage your API access tokens`} action={<AddToken />}>
      <FlashMessage />
      {created !== undefined && <UseKeyDialog name={created.name} apiKey={created.key} onClose={closeCreated} />}
      <DataTable
        label={t`Tokens`}
        {...table}
        columns={columnsFor(table.source.data?.items)}
        rowName={tokenName}
        empty={t`No tokens found. Create your first token to get started.`}
        emptyAction={<AddToken />}
        toolbar={<SearchBox {...searchBox} label={t`Search tokens`} placeholder={t`Search tokens by name...`} />}
        actions={(token) => <TokenRowActions token={token} />}
      />
    </Page>
  );
}

function AddToken() {
  const isMobile = useBreakpoint() === "mobile";
  return (
    <ButtonLink to="/tokens/add" variant="primary" icon={<Plus />}>
      {isMobile ? <Trans>Add New Token</Trans> : <Trans>Add Token</Trans>}
    </ButtonLink>
  );
}
