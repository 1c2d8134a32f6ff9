import { Trans, useLingui } from "@lingui/react/macro";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Channel } from "@tollgate/contract/catalogue/channels.ts";
import { useState } from "react";
import { hasFeature, useSession } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";

const ProxyDialog = buildLazyPart(
  async () => (await import("./channel-proxy-dialog.tsx")).ChannelProxyDialog,
);

/**
 * Through which proxy the channel's requests go. Root alone changes it, apart from the form, which
 * other administrators save.
 */
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
        <span className={hint === "" ? "text-muted" : "font-mono text-sm"}>
          {hint || t`default (from Settings)`}
        </span>
      </p>
      {isRoot && (
        <Button size="sm" aria-haspopup="dialog" onClick={() => setChanging(true)}>
          <Trans>Change proxy</Trans>
        </Button>
      )}
      {isChanging && (
        <ProxyDialog
          channel={channel}
          hint={hint}
          onSaved={setHint}
          onClose={() => setChanging(false)}
        />
      )}
    </div>
  );
}
