import { Trans, useLingui } from "@lingui/react/macro";
import { type Channel, channelSorts, listChannels, searchChannels } from "@tollgate/contract/channels.ts";
import { Plus } from "lucide-react";
import { entityRef } from "../../compat/entity-ids.ts";
import { useRowSelection } from "../../components/bulk/use-row-selection.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { useUrlText } from "../../components/url-view.ts";
import { useResourceList } from "../../components/use-resource-list.ts";
import { hasFeature, useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { DataTable } from "../../ui/data-table.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { Page } from "../../ui/page.tsx";
import { channelColumns, typeName } from "./channel-columns.tsx";
import { DeleteDisabledChannels } from "./channel-delete-disabled.tsx";
import { hasTransientState } from "./channel-health-summary.ts";
import { ChannelJobButtons, ChannelJobs, useChannelJobs } from "./channel-job-panel.tsx";
import { ChannelRowActions } from "./channel-row-actions.tsx";

const TagFilter = lazyPart(async () => (await import("./channel-tag-filter.tsx")).ChannelTagFilter);
const BulkBar = lazyPart(async () => (await import("./channel-bulk-bar.tsx")).ChannelBulkBar);

/** The refetch interval while the list shows a state that ends by itself. */
const refetchMs = 10_000;

const rowActions = (channel: Channel) => <ChannelRowActions channel={channel} />;

export function ChannelListPage() {
  const { t } = useLingui();
  const canTag = hasFeature(useSession().status, "channel_tags");
  const [tag, setTag] = useUrlText("tag");
  const { table, searchBox } = useResourceList({
    list: listChannels,
    search: searchChannels,
    sorts: channelSorts,
    hasRecent: true,
    filters: { tag: tag === "" ? undefined : tag },
    suggestion: (channel) => ({ id: entityRef(channel), text: channel.name, detail: typeName(channel.type) }),
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
            <SearchBox {...searchBox} label={t`Search channels`} placeholder={t`Search channels by name...`} />
            {canTag && <TagFilter tag={tag} onTag={setTag} chosen={selection} />}
          </>
        }
        actions={rowActions}
      />
      {selection !== undefined && selection.ids.size > 0 && <BulkBar chosen={selection} />}
    </Page>
  );
}

function AddChannel() {
  const canConnect = hasFeature(useSession().status, "provider_check");
  return (
    <ButtonLink to={canConnect ? "/channels/connect" : "/channels/add"} variant="primary" icon={<Plus />}>
      <Trans>Add Channel</Trans>
    </ButtonLink>
  );
}
