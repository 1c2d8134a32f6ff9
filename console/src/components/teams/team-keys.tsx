import { Trans, useLingui } from "@lingui/react/macro";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  getTeam,
  listTeamTokens,
  setTeamTokenStatus,
  type TeamToken,
} from "@tollgate/contract/accounts/teams.ts";
import { tokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { Time } from "../../ui/time.tsx";
import { ShownOnce } from "../keys/shown-once.tsx";
import { tokenStatuses } from "../keys/token-statuses.ts";
import { ItemActions, ItemRow, ItemText, ItemTitle } from "../lists/item-row.tsx";
import { ItemToggle } from "../lists/item-toggle.tsx";
import { firstPage, ListCard } from "../lists/list-card.tsx";
import { StatusBadge } from "../lists/status-badge.tsx";
import { Quota } from "../quota.tsx";
import { TeamBalance } from "./team-parts.tsx";
import type { TeamTabProps } from "./team-rights.ts";
import { maySwitchKey } from "./team-rights.ts";

const TeamKeyDialog = buildLazyPart(
  async () => (await import("./team-key-dialog.tsx")).TeamKeyDialog,
);

const OfferKeyDialog = buildLazyPart(
  async () => (await import("./offer-key-dialog.tsx")).OfferKeyDialog,
);
const KeyOffers = buildLazyPart(async () => (await import("./key-offers.tsx")).KeyOffers);
const ReleaseKeyButton = buildLazyPart(
  async () => (await import("./release-key-button.tsx")).ReleaseKeyButton,
);

/** The keys of members and of services; a member sees the own ones. */
export function TeamKeys({ team, rights }: TeamTabProps) {
  const { t } = useLingui();
  const [shown, setShown] = useState(firstPage);
  const [opened, setOpened] = useState<"new" | "own">();
  const [made, setMade] = useState<string>();
  const params = { id: readEntityRef(team) };
  const keys = useQuery({
    ...api.query(listTeamTokens, { params, query: shown }),
    placeholderData: keepPreviousData,
  });
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-muted">
          <Trans>The team pays for calls with these keys. Its balance:</Trans>{" "}
          <TeamBalance team={team} />
        </p>
        {(rights.use || rights.manage) && (
          <span className="flex flex-wrap gap-2">
            {rights.use && (
              <Button onClick={() => setOpened("own")}>
                <Trans>Move a key in</Trans>
              </Button>
            )}
            <Button variant="primary" onClick={() => setOpened("new")}>
              <Trans>New key</Trans>
            </Button>
          </span>
        )}
      </div>
      {made !== undefined && <ShownOnce secret={made} copyLabel={t`Copy API key`} />}
      <KeyOffers {...{ team, rights }} />
      <ListCard
        source={keys}
        shown={shown}
        onShow={setShown}
        empty={
          <Trans>
            No keys yet. Members make keys of their own, team admins make keys for services.
          </Trans>
        }
      >
        {(row) => <TeamKeyItem key={readEntityRef(row)} {...{ row, rights, team }} />}
      </ListCard>
      {opened === "own" && (
        <OfferKeyDialog {...{ team, rights }} onClose={() => setOpened(undefined)} />
      )}
      {opened === "new" && (
        <TeamKeyDialog
          {...{ team, rights }}
          onMade={(key) => {
            setMade(key);
            setOpened(undefined);
          }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </div>
  );
}

function TeamKeyItem({ row, team, rights }: TeamTabProps & { row: TeamToken }) {
  const { user } = useSession();
  const {
    id,
    name,
    username,
    service,
    status,
    unlimited_quota,
    remain_quota,
    used_quota,
    expired_time,
  } = row;
  const isEnabled = status === tokenStatus.enabled;
  const isSwitched = isEnabled || status === tokenStatus.disabled;
  const mayPress = user !== null && isSwitched && maySwitchKey(user, rights, row, isEnabled);
  const isReleased = rights.administer && !service;
  const toggle = (next: boolean) =>
    api.change(setTeamTokenStatus, [listTeamTokens, getTeam], {
      params: { id: readEntityRef(team) },
      body: { token_id: id, status: next ? 1 : 2 },
    });
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span dir="auto" className="font-medium [overflow-wrap:anywhere]">
            {name}
          </span>
          <StatusBadge label={tokenStatuses[status]} />
          {service && (
            <Badge tone="info">
              <Trans>Service</Trans>
            </Badge>
          )}
        </ItemTitle>
        <p className="flex flex-wrap gap-x-4 text-muted text-sm">
          {username !== "" && <span dir="auto">{username}</span>}
          <span>
            <Trans>Used</Trans> <Quota units={used_quota} isOwn />
          </span>
          <span>
            {unlimited_quota ? (
              <Trans>No limit of its own</Trans>
            ) : (
              <>
                <Trans>Left</Trans> <Quota units={remain_quota} isOwn />
              </>
            )}
          </span>
          {expired_time > 0 && (
            <span>
              <Trans>Ends</Trans> <Time seconds={expired_time} />
            </span>
          )}
        </p>
      </ItemText>
      {(mayPress || isReleased) && (
        <ItemActions>
          {isReleased && <ReleaseKeyButton {...{ team, row }} />}
          {mayPress && (
            <ItemToggle
              name={name}
              isEnabled={isEnabled}
              // An admin who stops the key of another member cannot start it again.
              canUndo={maySwitchKey(user, rights, row, false)}
              onToggle={toggle}
            />
          )}
        </ItemActions>
      )}
    </ItemRow>
  );
}
