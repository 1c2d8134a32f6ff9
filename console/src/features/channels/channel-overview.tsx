import { Plural, Trans } from "@lingui/react/macro";
import { Link } from "@tanstack/react-router";
import { type Channel, searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { LazyActivityCard } from "../../components/activity/lazy-activity-card.tsx";
import { SubjectBudgetsCard } from "../../components/budgets/budgets-card.tsx";
import { Quota } from "../../components/quota.tsx";
import { ThingColumns } from "../../components/things/thing-page.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Figure, Figures } from "../../ui/figure.tsx";
import { FormSummary, SummaryLine } from "../../ui/form/form-summary.tsx";
import { formatDurationMs, formatInteger, missing } from "../../ui/format.ts";
import { Time } from "../../ui/time.tsx";
import { findBalance, groupNames, splitNames } from "./channel-screen-rules.ts";

/** `ChannelOverview` shows what it is, what it did lately, and what limits it. */
export function ChannelOverview({ channel }: { channel: Channel }) {
  const { status } = useSession();
  return (
    <>
      <Figures>
        <Figure label={<Trans>Used Quota</Trans>} isMain>
          <Quota units={channel.used_quota} isOwn />
        </Figure>
        <Figure
          label={<Trans>Response</Trans>}
          note={channel.test_time > 0 && <Time seconds={channel.test_time} />}
        >
          {channel.response_time > 0 ? formatDurationMs(channel.response_time) : missing}
        </Figure>
        <Figure label={<Trans>Balance</Trans>}>
          {findBalance(channel) ?? <Trans>Not Supported</Trans>}
        </Figure>
        <Figure label={<Trans>Created</Trans>}>
          <Time seconds={channel.created_time} />
        </Figure>
      </Figures>
      <ThingColumns
        main={
          <LazyActivityCard
            search={searchChannels}
            id={channel.id}
            steps="hours"
            filter={{ channel: String(channel.id) }}
          />
        }
        aside={
          <>
            <ChannelFacts channel={channel} />
            {hasFeature(status, "budgets") && (
              <SubjectBudgetsCard subject="channel" id={channel.id} />
            )}
          </>
        }
      />
    </>
  );
}

/** `modelsShown` is as many as fit beside the calls; the form has them all. */
const modelsShown = 12;

function ChannelFacts({ channel }: { channel: Channel }) {
  const models = splitNames(channel.models);
  const more = models.length - modelsShown;
  return (
    <FormSummary title={<Trans>What this channel does</Trans>}>
      {channel.base_url !== "" && (
        <SummaryLine name={<Trans>Calls go to</Trans>}>
          <span className="font-mono text-sm">{channel.base_url}</span>
        </SummaryLine>
      )}
      <SummaryLine name={<Trans>Serves</Trans>}>
        <ul className="flex flex-col gap-1">
          {models.slice(0, modelsShown).map((model) => (
            <li key={model}>
              <Link
                to="/models/one"
                search={{ model } as never}
                className="inline-flex min-h-6 min-w-6 items-center font-mono text-ink text-sm underline-offset-2 hover:underline"
              >
                {model}
              </Link>
            </li>
          ))}
          {more > 0 && (
            <li className="text-muted text-sm">
              <Plural value={more} one="and # more" other="and # more" />
            </li>
          )}
        </ul>
      </SummaryLine>
      <SummaryLine name={<Trans>Groups</Trans>}>{groupNames(channel.group).join(", ")}</SummaryLine>
      <SummaryLine name={<Trans>Priority</Trans>}>
        {formatInteger(channel.priority ?? 0)}
      </SummaryLine>
      <SummaryLine name={<Trans>Weight</Trans>}>{formatInteger(channel.weight ?? 0)}</SummaryLine>
    </FormSummary>
  );
}
