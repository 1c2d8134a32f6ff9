import { Trans, useLingui } from "@lingui/react/macro";
import {
  type Channel,
  channelSorts,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { Plus } from "lucide-react";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { FilterRow } from "../../components/lists/filter-row.tsx";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useResourceList } from "../../components/lists/use-resource-list.ts";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { DataTable } from "../../ui/table/data-table.tsx";
import { channelColumns, formatTypeName } from "./channel-columns.tsx";
import { DeleteDisabledChannels } from "./channel-delete-disabled.tsx";
import { hasTransientState } from "./channel-health-summary.ts";
import { ChannelJobButtons, ChannelJobs, useChannelJobs } from "./channel-job-panel.tsx";
import { ChannelRowActions } from "./channel-row-actions.tsx";

const Filters = buildLazyPart(async () => (await import("./channel-filters.tsx")).ChannelFilters);
const BulkBar = buildLazyPart(async () => (await import("./channel-bulk-bar.tsx")).ChannelBulkBar);

/** The refetch interval while the list shows a state that ends by itself. */
const refetchMs = 10_000;

const buildRowActions = (channel: Channel) => <ChannelRowActions channel={channel} />;

export function ChannelListPage() {
  const { t } = useLingui();
  const { status } = useSession();
  const { table, searchBox } = useResourceList({
    list: listChannels,
    search: searchChannels,
    sorts: channelSorts,
    hasRecent: true,
    filterNames: ["state", "type", "group", "tag"],
    suggestion: (channel) => ({
      id: readEntityRef(channel),
      text: channel.name,
      detail: formatTypeName(channel.type),
    }),
    refetchInterval: (channels) => (hasTransientState(channels) ? refetchMs : false),
  });
  const selection = useRowSelection();
  const jobs = useChannelJobs();
  return (
    <Page
      title={t`Channels`}
      subtitle={t`Your accounts at providers`}
      action={
        <>
          <ChannelJobButtons jobs={jobs} />
          <DeleteDisabledChannels />
          <AddChannel />
        </>
      }
    >
      <FlashMessage />
      <ChannelJobs jobs={jobs} />
      <DataTable
        label={t`Channels`}
        {...table}
        selection={selection}
        columns={channelColumns}
        rowName={(channel) => channel.name}
        empty={t`No channels found. Create your first channel to get started.`}
        emptyAction={<AddChannel />}
        toolbar={
          <>
            <SearchBox
              {...searchBox}
              label={t`Search channels`}
              placeholder={t`Search channels by name...`}
            />
            {hasFeature(status, "list_filters") && (
              <FilterRow>
                <Filters chosen={selection} />
              </FilterRow>
            )}
          </>
        }
        actions={buildRowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
    </Page>
  );
}

function AddChannel() {
  const canConnect = hasFeature(useSession().status, "provider_check");
  return (
    <ButtonLink
      to={canConnect ? "/channels/connect" : "/channels/add"}
      variant="primary"
      icon={<Plus />}
    >
      <Trans>Add Channel</Trans>
    </ButtonLink>
  );
}
