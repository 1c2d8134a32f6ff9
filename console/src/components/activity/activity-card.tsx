import { Trans } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import type { searchTokens } from "@tollgate/contract/accounts/tokens.ts";
import type { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import type { searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api } from "../../api-queries.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { CallsChart } from "./calls-chart.tsx";
import { type CallFilter, LatestCalls } from "./latest-calls.tsx";

type ActivityCardProps = {
  search: typeof searchTokens | typeof searchUsers | typeof searchChannels;
  id: number;
  /** `steps` says how the server counts the calls of such things. */
  steps: "hours" | "days";
  filter: CallFilter;
};

/**
 * `ActivityCard` shows what a user, a key or a channel did lately: how many calls, how many failed,
 * and the newest of them.
 */
export function ActivityCard({ search, id, steps, filter }: ActivityCardProps) {
  const counts = useQuery({
    // All three take the same query and reply with rows of the same counts.
    ...api.query(search as typeof searchTokens, { query: { keyword: `#${id}`, recent: true } }),
    select: ({ data }) => data.find((row) => row.id === id)?.recent,
  });
  const isIdle =
    counts.error === null && counts.data?.every(({ requests }) => requests === 0) === true;
  return (
    <Card
      title={<Trans>Calls</Trans>}
      note={steps === "days" ? <Trans>Days begin at 00:00 UTC.</Trans> : undefined}
      action={
        <ButtonLink to="/logs" search={filter as never} size="sm">
          <Trans>All calls</Trans>
        </ButtonLink>
      }
    >
      <div className="flex flex-col gap-4">
        {/* A server that counts none is no failure: the calls are there. */}
        {counts.error === null && counts.data !== undefined && !isIdle && (
          <CallsChart counts={counts.data} steps={steps} />
        )}
        <LatestCalls
          filter={filter}
          above={
            isIdle && (
              <p className="text-muted">
                {steps === "hours" ? (
                  <Trans>No calls in the last 24 hours</Trans>
                ) : (
                  <Trans>No calls in these days</Trans>
                )}
              </p>
            )
          }
        />
      </div>
    </Card>
  );
}
