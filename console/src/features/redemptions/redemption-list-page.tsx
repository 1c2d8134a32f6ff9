import { Trans, useLingui } from "@lingui/react/macro";
import {
  findRedemption,
  listRedemptions,
  type Redemption,
  redemptionSorts,
  searchRedemptions,
} from "@tollgate/contract/accounts/redemptions.ts";
import { Plus, Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { sortPage } from "../../compat/redemption-compat.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { wholeCode } from "../../components/keys/whole-secret.ts";
import { FilterRow } from "../../components/lists/filter-row.tsx";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { QuotaRequestsCard } from "../../components/quota-requests-card.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import { createdCodes } from "./handed-codes.ts";
import { redemptionColumns } from "./redemption-columns.tsx";
import { RedemptionRowActions } from "./redemption-row-actions.tsx";

const Filters = buildLazyPart(
  async () => (await import("./redemption-filters.tsx")).RedemptionFilters,
);
const BulkBar = buildLazyPart(
  async () => (await import("./redemption-bulk-bar.tsx")).RedemptionBulkBar,
);
const CreatedCodesCard = buildLazyPart(
  async () => (await import("./created-codes-card.tsx")).CreatedCodesCard,
);
const GenerateDialog = buildLazyPart(
  async () => (await import("./redemption-generate-dialog.tsx")).RedemptionGenerateDialog,
);

export function RedemptionListPage() {
  const { t } = useLingui();
  const { status } = useSession();
  const [isGenerating, setGenerating] = useState(false);
  const [created] = useState(createdCodes.get);
  // Leaving the page hides them for good.
  useEffect(() => createdCodes.forget, []);
  const selection = useRowSelection();
  const add = <AddRedemption onGenerate={() => setGenerating(true)} />;
  const { table, searchBox } = useResourceList({
    list: listRedemptions,
    search: searchRedemptions,
    sorts: redemptionSorts,
    filterNames: ["status"],
    adaptRows: sortPage,
    secrets: { ...wholeCode, find: findRedemption },
    // The codes of one batch share their name, so the name is the suggestion.
    suggestion: ({ name }) => ({ id: name, text: name }),
  });
  return (
    <Page
      title={t`Redemptions`}
      subtitle={t`Codes that pay quota to the first user who redeems them`}
      action={add}
    >
      <FlashMessage />
      {created !== undefined && <CreatedCodesCard {...created} />}
      <QuotaRequestsCard />
      <DataTable
        label={t`Redemptions`}
        {...table}
        selection={selection}
        columns={redemptionColumns}
        rowName={(code) => code.name}
        empty={t`No redemption codes found. Generate your first codes to hand out.`}
        emptyAction={add}
        toolbar={
          <>
            <SearchBox
              {...searchBox}
              label={t`Search redemptions`}
              placeholder={t`Search redemptions by name...`}
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
      {isGenerating && <GenerateDialog onClose={() => setGenerating(false)} />}
    </Page>
  );
}

const buildRowActions = (code: Redemption) => <RedemptionRowActions code={code} />;

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
