import { Trans } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/channels.ts";
import { entityRef } from "../../compat/entity-ids.ts";
import { RowActions } from "../../components/row-actions.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { RowLink } from "../../ui/row-link.tsx";

/** A third of the list's own code, and most visits open no menu. */
const loadVerbs = async () => (await import("./channel-verbs.tsx")).ChannelVerbs;
const ChannelVerbs = lazyPart(loadVerbs);

export function ChannelRowActions({ channel }: { channel: Channel }) {
  return (
    <RowActions
      name={channel.name}
      primary={
        <RowLink to="/channels/edit/$id" id={entityRef(channel)}>
          <Trans>Edit</Trans>
        </RowLink>
      }
      prepare={loadVerbs}
    >
      <ChannelVerbs channel={channel} />
    </RowActions>
  );
}
