import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { channelSorts, listChannels, searchChannels } from "@tollgate/contract/channels.ts";
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
import { channelColumns, typeName } from "./channel-columns.tsx";
import { DeleteDisabledChannels } from "./channel-delete-disabled.tsx";
import { hasTransientState } from "./channel-health-summary.ts";
import { ChannelJobButtons, ChannelJobs, useChannelJobs } from "./channel-job-panel.tsx";
import { ChannelRowActions } from "./channel-row-actions.tsx";

const suggestionsMax = 10;
/** While a suspension is shown that ends by itself. */
const refetchMs = 10_000;
const defaults = { ...defaultView, size: 10, sort: "id" } as const;

export function ChannelListPage() {
  const { t } = useLingui();
  const [view, setView] = useUrlView({ defaults, sorts: channelSorts });
  const [keyword, setKeyword] = useUrlText("keyword");
  const request =
    keyword === ""
      ? api.query(listChannels, { query: view })
      : api.query(searchChannels, { query: { ...view, keyword } });
  const channels = useQuery({
    ...request,
    placeholderData: keepPreviousData,
    select: (reply) => toListPage(reply, view),
    refetchInterval: ({ state }) => (hasTransientState(state.data?.data ?? []) ? refetchMs : false),
  });
  const jobs = useChannelJobs();
  return (
    <Page
      title={t`Channels`}
      subtitle={t`Manage upstream channels`}
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
        source={channels}
        columns={channelColumns}
        rowId={entityRef}
        rowName={(channel) => channel.name}
        view={view}
        onViewChange={setView}
        empty={t`No channels found. Create your first channel to get started.`}
        emptyAction={<AddChannel />}
        filtered={keyword !== ""}
        onClearFilters={() => setKeyword("")}
        toolbar={
          <SearchBox
            label={t`Search channels`}
            placeholder={t`Search channels by name...`}
            searched={keyword}
            onSearch={setKeyword}
            suggestionsKey="channels"
            suggest={async (text, signal) => {
              const query = { keyword: text, size: suggestionsMax, sort: "name", order: "asc" } as const;
              const found = await api.call(searchChannels, { query, signal });
              return found.data
                .slice(0, suggestionsMax)
                .map((channel) => ({ id: entityRef(channel), text: channel.name, detail: typeName(channel.type) }));
            }}
          />
        }
        actions={(channel) => <ChannelRowActions channel={channel} />}
      />
    </Page>
  );
}

function AddChannel() {
  return (
    <ButtonLink to="/channels/add" variant="primary" icon={<Plus />}>
      <Trans>Add Channel</Trans>
    </ButtonLink>
  );
}
