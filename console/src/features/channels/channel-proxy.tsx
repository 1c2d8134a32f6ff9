import { Trans, useLingui } from "@lingui/react/macro";
import type { Channel } from "@tollgate/contract/channels.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { useState } from "react";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";

const ProxyDialog = lazyPart(async () => (await import("./channel-proxy-dialog.tsx")).ChannelProxyDialog);

/** Through which proxy the channel's requests go. Root alone changes it, apart from the form, which other administrators save. */
export function ChannelProxy({ channel }: { channel: Channel }) {
  const { t } = useLingui();
  const { user, status } = useSession();
  const [hint, setHint] = useState(channel.proxy_hint);
  const [isChanging, setChanging] = useState(false);
  const isRoot = (user?.role ?? roles.guest) >= roles.root;
  if (!hasFeature(status, "channel_proxy") || (hint === "" && !isRoot)) return null;
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="min-w-0 [overflow-wrap:anywhere]">
        <span className="font-medium">
          <Trans>Outbound proxy</Trans>
        </span>{" "}
        <span className={hint === "" ? "text-muted" : "font-mono text-sm"}>{hint || t`that of the settings`}</span>
      </p>
      {isRoot && (
        <Button size="sm" aria-haspopup="dialog" onClick={() => setChanging(true)}>
          <Trans>Change proxy</Trans>
        </Button>
      )}
      {isChanging && <ProxyDialog channel={channel} hint={hint} onSaved={setHint} onClose={() => setChanging(false)} />}
    </div>
  );
}
