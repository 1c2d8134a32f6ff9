import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listRedemptions, redemptionSorts, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { Plus, Sparkles } from "lucide-react";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { entityRef } from "../../compat/reply-envelope.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { lazyDialog } from "../../components/lazy-dialog.tsx";
import { toListPage } from "../../components/list-page.ts";
import { SearchBox } from "../../components/search-box.tsx";
import { useUrlText, useUrlView } from "../../components/url-view.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { defaultView } from "../../ui/data-table-view.ts";
import { Page } from "../../ui/page.tsx";
import { redemptionColumns } from "./redemption-columns.tsx";
import { RedemptionRowActions } from "./redemption-row-actions.tsx";
import { sortPage } from "./redemption-screen-rules.ts";

const suggestionsMax = 10;
const defaults = { ...defaultView, size: 10, sort: "id" } as const;
const GenerateDialog = lazyDialog(
  async () => (await import("./redemption-generate-dialog.tsx")).RedemptionGenerateDialog,
);

export function RedemptionListPage() {
  const { t } = useLingui();
  const [isGenerating, setGenerating] = useState(false);
  const add = <AddRedemption onGenerate={() => setGenerating(true)} />;
  const [view, setView] = useUrlView({ defaults, sorts: redemptionSorts });
  const [keyword, setKeyword] = useUrlText("keyword");
  const request =
    keyword === ""
      ? api.query(listRedemptions, { query: view })
      : api.query(searchRedemptions, { query: { ...view, keyword } });
  const codes = useQuery({
    ...request,
    placeholderData: keepPreviousData,
    select: (reply) => toListPage({ ...reply, data: sortPage(reply.data, view) }, view),
  });
  return (
    <Page title={t`Redemptions`} subtitle={t`Codes that pay quota to whoever redeems them first`} action={add}>
      <FlashMessage />
      <DataTable
        label={t`Redemptions`}
        source={codes}
        columns={redemptionColumns}
        rowId={entityRef}
        rowName={(code) => code.name}
        view={view}
        onViewChange={setView}
        empty={t`No redemption codes found. Generate your first codes to hand out.`}
        emptyAction={add}
        filtered={keyword !== ""}
        onClearFilters={() => setKeyword("")}
        toolbar={
          <SearchBox
            label={t`Search redemptions`}
            placeholder={t`Search redemptions by name...`}
            searched={keyword}
            onSearch={setKeyword}
            suggestionsKey="redemptions"
            suggest={async (text, signal) => {
              const query = { keyword: text, size: suggestionsMax, sort: "name", order: "asc" } as const;
              const found = await api.call(searchRedemptions, { query, signal });
              // Codes of one batch share their name.
              return [...new Set(found.data.map(({ name }) => name))].map((name) => ({ id: name, text: name }));
            }}
          />
        }
        actions={(code) => <RedemptionRowActions code={code} />}
      />
      {isGenerating && <GenerateDialog onClose={() => setGenerating(false)} />}
    </Page>
  );
}

function AddRedemption({ onGenerate }: { onGenerate: () => void }) {
  return (
    <>
      <ButtonLink to="/redemptions/add" icon={<Plus />}>
        <Trans>Add Redemption</Trans>
      </ButtonLink>
      <Button variant="primary" icon={<Sparkles />} onClick={onGenerate}>
        <Trans>Generate Codes</Trans>
      </Button>
    </>
  );
}
