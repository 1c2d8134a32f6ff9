import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { findAgentName } from "@tollgate/contract/accounts/agent-sign-ins.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  type Session,
} from "@tollgate/contract/accounts/sessions.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { ItemList } from "../../components/lists/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { missing } from "../../ui/format.ts";
import { Confirm } from "../../ui/menu/confirm.tsx";
import { Time } from "../../ui/time.tsx";
import { toast } from "../../ui/toast.tsx";
import { readBrowser } from "./browser-name.ts";
import { waysIn } from "./ways-in.ts";

export function SessionListCard() {
  const sessions = useQuery(api.query(listSessions));
  const rows = sessions.data?.data ?? [];
  return (
    <Card
      title={<Trans>Sessions</Trans>}
      note={<Trans>Where you are signed in.</Trans>}
      action={rows.some((session) => !session.is_current) && <EndOtherSessions />}
    >
      <ItemList source={sessions} rows={rows}>
        {(session) => <SessionRow key={session.id} session={session} />}
      </ItemList>
    </Card>
  );
}

function SessionRow({ session }: { session: Session }) {
  const { t } = useLingui();
  const [busy, setBusy] = useState(false);
  const browser =
    findAgentName(session.user_agent) || readBrowser(session.user_agent) || t`Unknown browser`;
  const { address } = session;
  const end = async () => {
    setBusy(true);
    try {
      await api.change(endSession, [listSessions], { params: { id: session.id } });
      toast(t`Signed out: ${browser}`);
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  return (
    <li className="flex items-center justify-between gap-3 py-2 first:pt-0 last:pb-0">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2" title={session.user_agent}>
          <span className="truncate font-medium">{browser}</span>
          {session.is_current && (
            <Badge tone="good">
              <Trans>This one</Trans>
            </Badge>
          )}
        </p>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {address || missing} · <Trans>seen</Trans>{" "}
          <Time seconds={Math.floor(session.seen_at / 1000)} />
        </p>
      </div>
      {!session.is_current && (
        <Button
          size="sm"
          variant="ghost"
          busy={busy}
          aria-label={t`Sign out ${browser} at ${address}`}
          onClick={() => void end()}
        >
          <Trans>Sign out</Trans>
        </Button>
      )}
    </li>
  );
}

function EndOtherSessions() {
  const { t } = useLingui();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <Button size="sm" onClick={() => setConfirming(true)}>
        <Trans>Sign out all others</Trans>
      </Button>
      <Confirm
        open={isConfirming}
        onClose={() => setConfirming(false)}
        title={<Trans>Sign out all others</Trans>}
        question={<Trans>Sign out everywhere but here?</Trans>}
        confirmLabel={<Trans>Sign out</Trans>}
        onConfirm={async () => {
          await api.change(endOtherSessions, waysIn, {});
          toast(t`Signed out everywhere but here`);
        }}
      />
    </>
  );
}
