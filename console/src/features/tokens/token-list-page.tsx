import { Trans, useLingui } from "@lingui/react/macro";
import { useSearch } from "@tanstack/react-router";
import {
  findToken,
  listTokens,
  searchTokens,
  type Token,
  tokenSorts,
} from "@tollgate/contract/accounts/tokens.ts";
import { Plus } from "lucide-react";
import { lazy, Suspense, useEffect, useState } from "react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { LazyTokenNotices } from "../../components/keys/lazy-token-notices.tsx";
import { wholeKey } from "../../components/keys/whole-secret.ts";
import { FilterRow } from "../../components/lists/filter-row.tsx";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { LazyTeamSwitch } from "../../components/teams/lazy-team-switch.tsx";
import { useTeamPayer } from "../../components/teams/team-payer.ts";
import { createdKey } from "../../components/use-key/created-key.ts";
import { UseKeyDialog } from "../../components/use-key/lazy-use-key-dialog.ts";
import { hasFeature, isAdmin, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { buildColumns } from "./token-columns.tsx";
import { formatTokenName, TokenRowActions } from "./token-row-actions.tsx";
import { TokenViews } from "./token-views.tsx";

const Filters = buildLazyPart(async () => (await import("./token-filters.tsx")).TokenFilters);
const BulkBar = buildLazyPart(async () => (await import("./token-bulk-bars.tsx")).TokenBulkBar);
const KeyFindingsList = lazy(async () => ({
  default: (await import("./key-findings-list.tsx")).KeyFindingsList,
}));
const TeamTokens = buildLazyPart(async () => (await import("./team-tokens.tsx")).TeamTokens);
const AllTokensList = lazy(async () => ({
  default: (await import("./all-tokens-list.tsx")).AllTokensList,
}));

export function TokenListPage() {
  const { t } = useLingui();
  const { user, status } = useSession();
  const search: Record<string, unknown> = useSearch({ strict: false });
  const offersAll = isAdmin(user) && hasFeature(status, "all_tokens");
  const isOfAll = offersAll && search.scope === "all";
  const offersFindings = hasFeature(status, "key_findings");
  const isLookedAt = offersFindings && String(search.look) === "1";
  const team = useTeamPayer();
  return (
    <Page
      title={t`Tokens`}
      subtitle={t`Manage your API access tokens`}
      action={
        <>
          <LazyTeamSwitch isOfAll={isOfAll} />
          {team === undefined && <AddToken />}
        </>
      }
    >
      {team !== undefined ? (
        <TeamTokens key={team} team={team} />
      ) : (
        <>
          <TokenViews
            offersAll={offersAll}
            isOfAll={isOfAll}
            offersFindings={offersFindings}
            isLookedAt={isLookedAt}
          />
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
        </>
      )}
    </Page>
  );
}

function OwnTokens() {
  const { t } = useLingui();
  const { status } = useSession();
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
    filterNames: ["status"],
    secrets: { ...wholeKey, find: findToken },
    suggestion: (token) => ({ id: readEntityRef(token), text: token.name }),
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
        columns={buildColumns(table.source.data?.items)}
        rowName={formatTokenName}
        empty={t`No tokens found. Create your first token to get started.`}
        emptyAction={<AddToken />}
        toolbar={
          <>
            <SearchBox
              {...searchBox}
              label={t`Search tokens`}
              placeholder={t`Search tokens by name...`}
            />
            {hasFeature(status, "list_filters") && (
              <FilterRow>
                <Filters />
              </FilterRow>
            )}
          </>
        }
        actions={buildRowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
    </>
  );
}

const buildRowActions = (token: Token) => <TokenRowActions token={token} />;

function AddToken() {
  const isMobile = useBreakpoint() === "mobile";
  return (
    <ButtonLink to="/tokens/add" variant="primary" icon={<Plus />}>
      {isMobile ? <Trans>Add New Token</Trans> : <Trans>Add Token</Trans>}
    </ButtonLink>
  );
}
