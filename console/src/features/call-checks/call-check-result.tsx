import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { Plural, Trans, useLingui } from "@lingui/react/macro";
import type { CallCheck, CallCheckStep } from "@tollgate/contract/catalogue/call-checks.ts";
import { Fragment, type ReactNode } from "react";
import { tokenLimits } from "../../components/keys/token-limits.tsx";
import { Quota } from "../../components/quota.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Card } from "../../ui/card.tsx";
import { formatDollars, formatInteger } from "../../ui/format.ts";

const stepLabels: Record<CallCheckStep, MessageDescriptor> = {
  key: msg`Key`,
  model: msg`Model`,
  route: msg`Route`,
  limits: msg`Limits`,
  balance: msg`Balance`,
};

/** The verdict in the words that the client would get, then what it rests on. */
export function CallCheckResult({ check }: { check: CallCheck }) {
  return (
    <div className="flex min-w-0 flex-col gap-4">
      <Verdict check={check} />
      <Card title={<Trans>Route</Trans>}>
        <Route check={check} />
      </Card>
      <Card title={<Trans>Price, limits and balance</Trans>}>
        <Facts check={check} />
      </Card>
    </div>
  );
}

function Verdict({ check: { would_work, refusals, model_instead } }: { check: CallCheck }) {
  const { t } = useLingui();
  const [first, ...others] = refusals;
  if (would_work || first === undefined)
    return (
      <Alert tone="good" title={t`This call would work`}>
        {model_instead !== undefined && (
          <Trans>A budget is used up, so that {model_instead} would answer.</Trans>
        )}
      </Alert>
    );
  const { message, retry_after: seconds } = first;
  const status = formatInteger(first.status);
  return (
    <Alert title={t`This call would be refused with ${status}`}>
      <p>{message}</p>
      {seconds !== undefined && (
        <p>
          <Plural
            value={seconds}
            one="It may work in # second."
            other="It may work in # seconds."
          />
        </p>
      )}
      {others.length > 0 && (
        <>
          <p className="mt-2 font-medium">
            <Trans>Behind that:</Trans>
          </p>
          <ul className="list-disc pl-5">
            {others.map((other) => (
              <li key={other.step}>
                {t(stepLabels[other.step])}: {other.message}
              </li>
            ))}
          </ul>
        </>
      )}
    </Alert>
  );
}

/** Administrators see channels by name with reasons, other users how many there are. */
function Route({ check: { channels, candidates, excluded } }: { check: CallCheck }) {
  if (channels.length === 0) {
    return (
      <p className="text-muted">
        {candidates + excluded === 0 ? (
          <Trans>No channel offers this model.</Trans>
        ) : (
          <Plural
            value={candidates}
            _0="No channel can be tried."
            one="# channel would be tried."
            other="# channels would be tried."
          />
        )}
      </p>
    );
  }
  return (
    <ol className="flex flex-col gap-2">
      {channels.map(({ id, name, is_candidate, reason, upstream_model }, index) => (
        <li key={id} className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          {is_candidate ? (
            <Badge tone="good">{formatInteger(index + 1)}</Badge>
          ) : (
            <Badge>
              <Trans>Left out</Trans>
            </Badge>
          )}
          <span dir="auto" className="font-medium">
            {name}
          </span>
          {upstream_model !== "" && (
            <code className="font-mono text-muted text-xs">{upstream_model}</code>
          )}
          <span className="text-muted [overflow-wrap:anywhere]">{reason}</span>
        </li>
      ))}
    </ol>
  );
}

function Facts({ check }: { check: CallCheck }) {
  const { t } = useLingui();
  const { price, limits, balance, hold } = check;
  const output = formatInteger(hold?.output_limit ?? 0);
  const limited = tokenLimits.filter(({ name }) => limits[name] > 0);
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5">
      <Fact name={t`User`}>{check.username}</Fact>
      <Fact name={t`Group`}>{check.groups.join(", ") || check.group}</Fact>
      {check.subnets.length > 0 && <Fact name={t`Only from`}>{check.subnets.join(", ")}</Fact>}
      {price !== null && (
        <>
          <Fact name={t`Price per 1M`}>
            {price.lines
              .map(
                ({ bucket, price_per_million }) =>
                  `${bucket} ${formatDollars(Number(price_per_million), 6)}`,
              )
              .join(", ")}
            {` × ${price.group_ratio}`}
          </Fact>
          <Fact name={t`Costs at most`}>
            <Quota units={price.quota} />
          </Fact>
        </>
      )}
      <Fact name={t`Limits`}>
        {limited.length === 0
          ? t`None`
          : limited.map(({ name, Summary }, index) => (
              <Fragment key={name}>
                {index > 0 && ", "}
                <Summary limit={limits[name]} figure={formatInteger(limits[name])} />
              </Fragment>
            ))}
      </Fact>
      <Fact name={t`Balance`}>
        <Quota units={balance.available} />
      </Fact>
      {balance.debt > 0 && (
        <Fact name={t`Debt`}>
          <Quota units={balance.debt} />
        </Fact>
      )}
      <Fact name={t`Left on the key`}>
        <Quota units={balance.key_available ?? 0} unlimited={balance.key_available === null} />
      </Fact>
      {hold !== null && (
        <Fact name={t`Would be held`}>
          <Quota units={hold.granted ?? hold.wanted} />
          {hold.output_limit !== null && (
            <span className="text-muted">
              {" "}
              {t`The answer is limited to ${output} tokens: the balance covers no more.`}
            </span>
          )}
        </Fact>
      )}
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}
