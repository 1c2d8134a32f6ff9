import { Trans, useLingui } from "@lingui/react/macro";
import { useSearch } from "@tanstack/react-router";
import { findToken, listTokens, searchTokens, type Token, tokenSorts } from "@tollgate/contract/tokens.ts";
import { Plus } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { entityRef } from "../../compat/entity-ids.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { LazyTokenNotices } from "../../components/lazy-token-notices.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { createdKey } from "../../components/use-key/created-key.ts";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { useResourceList } from "../../components/use-resource-list.ts";
import { wholeKey } from "../../components/whole-secret.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { columnsFor } from "./token-columns.tsx";
import { TokenRowActions, tokenName } from "./token-row-actions.tsx";
import { TokenViews } from "./token-views.tsx";

const BulkBar = lazyPart(async () => (await import("./token-bulk-bars.tsx")).TokenBulkBar);
const KeyFindingsList = lazy(async () => ({ default: (await import("./key-findings-list.tsx")).KeyFindingsList }));
const AllTokensList = lazy(async () => ({ default: (await import("./all-tokens-list.tsx")).AllTokensList }));

export function TokenListPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const offersAll = isAdmin(user) && hasFeature(status, "all_tokens");
  const isOfAll = offersAll && search.scope === "all";
  const offersFindings = hasFeature(status, "key_findings");
  const isLookedAt = offersFindings && String(search.look) === "1";
  return (
    <Page title={t`Tokens`} subtitle={t`Manage your API access tokens`} action={<AddToken />}>
      <TokenViews offersAll={offersAll} isOfAll={isOfAll} offersFindings={offersFindings} isLookedAt={isLookedAt} />
      {isLookedAt ? (
        <Suspense fallback={<Skeleton className="h-80" />}>
          <KeyFindingsList key={String(isOfAll)} offersAll={offersAll} isOfAll={isOfAll} />
        </Suspense>
      ) : isOfAll ? (
        <Suspense fallback={<Skeleton className="h-80" />}>
          <AllTokensList />
        </Suspense>
      ) : (
        <OwnTokens />
      )}
    </Page>
  );
}

function OwnTokens() {
  const { t } = useLingui();
  const selection = useRowSelection();
  const [created, setCreated] = useState(createdKey.get);
  const closeCreated = () => {
    createdKey.forget();
    setCreated(undefined);
  };
  // Leaving the page closes the dialog for good, too.
  useEffect(() => createdKey.forget, []);
  const { table, searchBox } = useResourceList({
    list: listTokens,
    search: searchTokens,
    sorts: tokenSorts,
    hasRecent: true,
    secrets: { ...wholeKey, find: findToken },
    suggestion: (token) => ({ id: entityRef(token), text: token.name }),
  });
  return (
    <>
      <LazyTokenNotices />
      <FlashMessage />
      {created !== undefined && <UseKeyDialog token={created} onClose={closeCreated} />}
      <DataTable
        label={t`Tokens`}
        {...table}
        selection={selection}
        columns={columnsFor(table.source.data?.items)}
        rowName={tokenName}
        empty={t`No tokens found. Create your first token to get started.`}
        emptyAction={<AddToken />}
        toolbar={<SearchBox {...searchBox} label={t`Search tokens`} placeholder={t`Search tokens by name...`} />}
        actions={rowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
    </>
  );
}

const rowActions = (token: Token) => <TokenRowActions token={token} />;

function AddToken() {
  const isMobile = useBreakpoint() === "mobile";
  return (
    <ButtonLink to="/tokens/add" variant="primary" icon={<Plus />}>
      {isMobile ? <Trans>Add New Token</Trans> : <Trans>Add Token</Trans>}
    </ButtonLink>
  );
}
