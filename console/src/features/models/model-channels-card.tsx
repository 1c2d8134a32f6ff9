import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { bulkRowsMax, changeManyChannels } from "@tollgate/contract/api/bulk-verbs.ts";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import {
  type Channel,
  listChannels,
  searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { listDisplayedModels } from "@tollgate/contract/catalogue/models.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import type { BulkVerb } from "../../components/bulk/bulk-verb.ts";
import { showMember } from "../../components/bulk/bulk-words.ts";
import { channelStates } from "../../components/lists/channel-states.ts";
import { readChannelState } from "../../components/lists/read-channel-state.ts";
import { StatusBadge } from "../../components/lists/status-badge.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatInteger } from "../../ui/format.ts";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { FailedTable } from "../../ui/table/data-table-states.tsx";
import { listServingChannels } from "./model-usage.ts";

const BulkDialog = buildLazyPart(
  async () => (await import("../../components/bulk/bulk-dialog.tsx")).BulkDialog,
);

/**
 * `ModelChannelsCard` is for administrators: the channels that serve a model, and one switch for
 * all of them.
 */
export function ModelChannelsCard({ model }: { model: string }) {
  const { t } = useLingui();
  const { status } = useSession();
  const [isRemoving, setRemoving] = useState(false);
  const channels = useQuery({
    queryKey: [`${listChannels.method} ${listChannels.path}`, "model", model],
    queryFn: () => findServingChannels(model),
  });
  const serving = channels.error === null ? channels.data : undefined;
  const isMore = serving !== undefined && serving.length > bulkRowsMax;
  const removal: BulkVerb = {
    id: "remove_models",
    label: isMore
      ? msg`Switch off on the first ${formatInteger(bulkRowsMax)}`
      : msg`Switch off everywhere`,
    warning: msg`Calls of the model are refused once no channel serves it.`,
    request: () => ({ verb: "remove_models", models: model }),
    undo: ({ before }) => ({ verb: "add_models", models: before.models }),
    show: showMember("models"),
  };
  return (
    <Card
      title={<Trans>Channels that serve it</Trans>}
      action={
        hasFeature(status, "bulk_verbs") &&
        serving !== undefined &&
        serving.length > 0 && (
          <Button size="sm" onClick={() => setRemoving(true)}>
            {t(removal.label)}
          </Button>
        )
      }
    >
      {channels.error !== null ? (
        <FailedTable
          error={channels.error}
          busy={channels.isFetching}
          onRetry={() => void channels.refetch()}
        />
      ) : serving === undefined ? (
        <Skeleton className="h-16" />
      ) : serving.length === 0 ? (
        <p className="text-muted">
          <Trans>No channel offers this model.</Trans>
        </p>
      ) : (
        <ul className="divide-y divide-line">
          {serving.map((channel) => (
            <ChannelRow key={readEntityRef(channel)} channel={channel} />
          ))}
        </ul>
      )}
      {isRemoving && (
        <BulkDialog
          endpoint={changeManyChannels}
          refreshes={[listChannels, searchChannels, listDisplayedModels]}
          verb={removal}
          ids={(serving ?? []).slice(0, bulkRowsMax).map(readEntityRef)}
          onDone={() => {}}
          onClose={() => setRemoving(false)}
        />
      )}
    </Card>
  );
}

function ChannelRow({ channel }: { channel: Channel }) {
  const state = readChannelState(channel);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 py-1.5">
      <Link
        dir="auto"
        to="/channels/$id/{-$tab}"
        params={{ id: readEntityRef(channel) }}
        className="min-w-0 py-1 text-accent underline-offset-2 [overflow-wrap:anywhere] hover:underline"
      >
        {channel.name}
      </Link>
      {state !== "active" && <StatusBadge label={channelStates[state]} />}
    </li>
  );
}

/** Beyond as many pages of channels, the rest is not looked at. */
const pagesMax = 50;

/** Reads every page of channels: the list cannot be asked for a model. */
async function findServingChannels(model: string): Promise<Channel[]> {
  const channels: Channel[] = [];
  for (let p = 0; p < pagesMax; p += 1) {
    const { data } = await api.call(listChannels, {
      query: { p, size: pageSizeMax, sort: "id", order: "asc" },
    });
    channels.push(...listServingChannels(data, model));
    if (data.length < pageSizeMax) break;
  }
  return channels;
}
