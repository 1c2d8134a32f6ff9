import { Plural, Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { pageSizeMax } from "@tollgate/contract/api/page.ts";
import { type Channel, listChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { findOnlyModels } from "./only-models.ts";

const namedMax = 5;

/**
 * `ChannelLoss` says what goes with a channel: models that nothing else serves, and how much it is
 * used.
 */
export function ChannelLoss({ channel }: { channel: Channel }) {
  const query = { size: pageSizeMax, recent: "true" } as const;
  const all = useQuery({
    ...api.query(listChannels, { query }),
    select: ({ data, total }) => ({ data, total }),
  });
  if (all.data === undefined) return null;
  const { data, total = data.length } = all.data;
  const own = data.find(({ id }) => id === channel.id);
  const calls = (own?.recent ?? []).reduce((sum, hour) => sum + hour.requests, 0);
  // Of a part of the channels, no one knows what the others offer.
  const lost = total > data.length ? [] : findOnlyModels(channel, data);
  const names = lost.slice(0, namedMax).join(", ") + (lost.length > namedMax ? ", …" : "");
  return (
    <>
      {lost.length > 0 && (
        <p>
          <Trans>The only channel for {names}.</Trans>
        </p>
      )}
      {own?.recent !== undefined && (
        <p>
          <Plural
            value={calls}
            one="# call in the last 24 hours."
            other="# calls in the last 24 hours."
          />
        </p>
      )}
    </>
  );
}
