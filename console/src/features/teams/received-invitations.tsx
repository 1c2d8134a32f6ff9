import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  listReceivedInvitations,
  type ReceivedInvitation,
} from "@tollgate/contract/accounts/team-invitations.ts";
import { api } from "../../api-queries.ts";
import { ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { Card } from "../../ui/card.tsx";
import { Time } from "../../ui/time.tsx";
import { InvitationAnswer } from "./invitation-answer.tsx";
import { InvitationMeaning } from "./invitation-words.tsx";

/** Open invitations of the reader; nothing where there is none, or where they cannot be read. */
export function ReceivedInvitations() {
  const received = useQuery(api.query(listReceivedInvitations));
  const rows = received.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card title={<Trans>Invitations</Trans>}>
      <ul className="flex flex-col divide-y divide-line">
        {rows.map((row) => (
          <ReceivedInvitationItem key={row.id} row={row} />
        ))}
      </ul>
    </Card>
  );
}

function ReceivedInvitationItem({ row }: { row: ReceivedInvitation }) {
  const { team_name, role, invited_by, expires_at } = row;
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {team_name}
          </span>
        </ItemTitle>
        <p className="text-sm">
          <InvitationMeaning role={role} />
        </p>
        <p className="text-muted text-sm">
          <Trans>Invited by {invited_by}</Trans> · <Trans>Ends</Trans>{" "}
          <Time seconds={Math.floor(expires_at / 1000)} />
        </p>
      </ItemText>
      <InvitationAnswer invitation={row} />
    </ItemRow>
  );
}
