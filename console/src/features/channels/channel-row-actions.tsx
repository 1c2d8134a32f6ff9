import { Trans } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { RowActions } from "../../components/lists/row-actions.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { RowLink } from "../../ui/table/row-link.tsx";

/** A third of the list's own code, and most visits open no menu. */
const loadVerbs = async () => (await import("./channel-verbs.tsx")).ChannelVerbs;
const ChannelVerbs = buildLazyPart(loadVerbs);

export function ChannelRowActions({ channel }: { channel: Channel }) {
  return (
    <RowActions
      name={channel.name}
      primary={
        <RowLink to="/channels/edit/$id" id={readEntityRef(channel)}>
          <Trans>Edit</Trans>
        </RowLink>
      }
      prepare={loadVerbs}
    >
      <ChannelVerbs channel={channel} />
    </RowActions>
  );
}
