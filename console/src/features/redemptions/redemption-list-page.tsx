import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { listRedemptions, redemptionSorts, searchRedemptions } from "@tollgate/contract/redemptions.ts";
import { Plus, Sparkles } from "lucide-react";
import { useState } from "react";
import { api } from "../../api.ts";
import { lazyDialog } from "../../pieces/lazy-dialog.tsx";
import { listPage } from "../../pieces/list-page.ts";
import { PassedMessage } from "../../pieces/passed-message.tsx";
import { SearchBox } from "../../pieces/search-box.tsx";
import { useUrlText, useUrlView } from "../../pieces/url-view.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { defaultView } from "../../ui/data-table-view.ts";
import { Page } from "../../ui/page.tsx";
import { refOf } from "../../wire.ts";
import { redemptionColumns } from "./redemption-columns.tsx";
import { RedemptionRowActions } from "./redemption-row-actions.tsx";
import { sortedPage } from "./redemption-rules.ts";

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
  const asked =
    keyword === ""
      ? api.query(listRedemptions, { query: view })
      : api.query(searchRedemptions, { query: { ...view, keyword } });
  const codes = useQuery({
    ...asked,
    placeholderData: keepPreviousData,
    select: (reply) => listPage({ ...reply, data: sortedPage(reply.data, view) }, view),
  });
  return (
    <Page title={t`Redemptions`} subtitle={t`Codes that pay quota to whoever redeems them first`} action={add}>
      <PassedMessage />
      <DataTable
        label={t`Redemptions`}
        source={codes}
        columns={redemptionColumns}
        rowId={refOf}
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
            suggests="redemptions"
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
