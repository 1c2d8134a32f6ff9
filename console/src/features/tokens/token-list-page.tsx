import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listTokens, searchTokens, tokenSorts } from "@tollgate/contract/tokens.ts";
import { Plus } from "lucide-react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/reply-envelope.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { toListPage } from "../../components/list-page.ts";
import { SearchBox } from "../../components/search-box.tsx";
import { useUrlText, useUrlView } from "../../components/url-view.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { defaultView } from "../../ui/data-table-view.ts";
import { Page } from "../../ui/page.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { columnsFor } from "./token-columns.tsx";
import { TokenRowActions, tokenName } from "./token-row-actions.tsx";

const suggestionsMax = 10;
const defaults = { ...defaultView, size: 10, sort: "id" } as const;

export function TokenListPage() {
  const { t } = useLingui();
  const [view, setView] = useUrlView({ defaults, sorts: tokenSorts });
  const [keyword, setKeyword] = useUrlText("keyword");
  const request =
    keyword === "" ? api.query(listTokens, { query: view }) : api.query(searchTokens, { query: { ...view, keyword } });
  const tokens = useQuery({
    ...request,
    placeholderData: keepPreviousData,
    select: (reply) => toListPage(reply, view),
  });
  return (
    <Page title={t`Tokens`} subtitle={t`Manage your API access tokens`} action={<AddToken />}>
      <FlashMessage />
      <DataTable
        label={t`Tokens`}
        source={tokens}
        columns={columnsFor(tokens.data?.items)}
        rowId={entityRef}
        rowName={tokenName}
        view={view}
        onViewChange={setView}
        empty={t`No tokens found. Create your first token to get started.`}
        emptyAction={<AddToken />}
        filtered={keyword !== ""}
        onClearFilters={() => setKeyword("")}
        toolbar={
          <SearchBox
            label={t`Search tokens`}
            placeholder={t`Search tokens by name...`}
            searched={keyword}
            onSearch={setKeyword}
            suggestionsKey="tokens"
            suggest={async (text, signal) => {
              const query = { keyword: text, size: suggestionsMax, sort: "name", order: "asc" } as const;
              const found = await api.call(searchTokens, { query, signal });
              return found.data.map((token) => ({ id: entityRef(token), text: token.name }));
            }}
          />
        }
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
