import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  answerKeyOffer,
  type KeyOffer,
  listKeyOffers,
} from "@tollgate/contract/accounts/team-key-moves.ts";
import { getTeam, listTeamTokens } from "@tollgate/contract/accounts/teams.ts";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useSession } from "../../session.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { ItemActions, ItemList, ItemRow, ItemText, ItemTitle } from "../lists/item-row.tsx";
import { toastError } from "../toast-failure.ts";
import { KeyMoveFacts } from "./key-move-facts.tsx";
import type { TeamTabProps } from "./team-rights.ts";

/** The keys that wait for a team admin. Where there is none, the card is not there. */
export function KeyOffers({ team, rights }: TeamTabProps) {
  const offers = useQuery(api.query(listKeyOffers, { params: { id: readEntityRef(team) } }));
  const rows = offers.data?.data ?? [];
  if (rows.length === 0) return null;
  return (
    <Card
      title={<Trans>Offered keys</Trans>}
      note={<Trans>The team pays for a key once a team admin has taken it.</Trans>}
    >
      <ItemList source={offers} rows={rows}>
        {(row) => <KeyOfferItem key={row.token_id} {...{ row, team, rights }} />}
      </ItemList>
    </Card>
  );
}

function KeyOfferItem({ row, team, rights }: TeamTabProps & { row: KeyOffer }) {
  const { t } = useLingui();
  const { user } = useSession();
  const { token_id, name, username } = row;
  const isOwn = username === user?.username;
  const answer = useMutation({
    mutationFn: (accept: boolean) =>
      api.change(answerKeyOffer, [listKeyOffers, listTeamTokens, getTeam], {
        params: { id: readEntityRef(team) },
        body: { token_id, accept },
      }),
    onError: toastError,
  });
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
          <span dir="auto" className="text-muted">
            {username}
          </span>
        </ItemTitle>
        <KeyMoveFacts move={row} />
        {row.is_stale && (
          <Alert
            tone="warn"
            title={
              <Trans>The key or the team has changed since. Its owner has to offer it again.</Trans>
            }
          />
        )}
      </ItemText>
      {(rights.manage || isOwn) && (
        <ItemActions>
          {rights.manage && !row.is_stale && (
            <Button
              size="sm"
              busy={answer.isPending}
              aria-label={t`Take ${name}`}
              onClick={() => answer.mutate(true)}
            >
              <Trans>Take</Trans>
            </Button>
          )}
          <Button
            size="sm"
            busy={answer.isPending}
            aria-label={isOwn ? t`Withdraw ${name}` : t`Refuse ${name}`}
            onClick={() => answer.mutate(false)}
          >
            {isOwn ? <Trans>Withdraw</Trans> : <Trans>Refuse</Trans>}
          </Button>
        </ItemActions>
      )}
    </ItemRow>
  );
}
