import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listTokens, searchTokens, tokenSorts } from "@tollgate/contract/tokens.ts";
import { Plus } from "lucide-react";
import { api } from "../../api.ts";
import { listPage } from "../../pieces/list-page.ts";
import { PassedMessage } from "../../pieces/passed-message.tsx";
import { SearchBox } from "../../pieces/search-box.tsx";
import { useUrlText, useUrlView } from "../../pieces/url-view.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { defaultView } from "../../ui/data-table-view.ts";
import { Page } from "../../ui/page.tsx";
import { useBreakpoint } from "../../ui/use-breakpoint.ts";
import { refOf } from "../../wire.ts";
import { columnsFor } from "./token-columns.tsx";
import { nameOf, TokenRowActions } from "./token-row-actions.tsx";

const suggestionsMax = 10;
const defaults = { ...defaultView, size: 10, sort: "id" } as const;

export function TokenListPage() {
  const { t } = useLingui();
  const [view, setView] = useUrlView({ defaults, sorts: tokenSorts });
  const [keyword, setKeyword] = useUrlText("keyword");
  const asked =
    keyword === "" ? api.query(listTokens, { query: view }) : api.query(searchTokens, { query: { ...view, keyword } });
  const tokens = useQuery({ ...asked, placeholderData: keepPreviousData, select: (reply) => listPage(reply, view) });
  return (
    <Page title={t`Tokens`} subtitle={t`Manage your API access tokens`} action={<AddToken />}>
      <PassedMessage />
      <DataTable
        label={t`Tokens`}
        source={tokens}
        columns={columnsFor(tokens.data?.items)}
        rowId={refOf}
        rowName={nameOf}
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
            suggests="tokens"
            suggest={async (text, signal) => {
              const query = { keyword: text, size: suggestionsMax, sort: "name", order: "asc" } as const;
              const found = await api.call(searchTokens, { query, signal });
              return found.data.map((token) => ({ id: refOf(token), text: token.name }));
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
