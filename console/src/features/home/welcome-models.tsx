import { Plural, Trans } from "@lingui/react/macro";
import {
  type DisplayedProvider,
  listDisplayedModels,
} from "@tollgate/contract/catalogue/models.ts";
import { getServiceHealth, type ServiceHealth } from "@tollgate/contract/figures/service-health.ts";
import { useEffect, useState } from "react";
import { call } from "../../api-call.ts";
import { useSession } from "../../session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { formatOwnDollars, missing } from "../../ui/format.ts";
import { buildModelsToShow, buildWorkingModels } from "./welcome-facts.ts";

/**
 * `WelcomeModels` shows the models and prices that are offered here and, where the operator shows
 * the status page, how they fare. Without any, nothing.
 */
export function WelcomeModels() {
  const { status } = useSession();
  const hasStatus = status.status_page === "public";
  const [providers, setProviders] = useState<Readonly<Record<string, DisplayedProvider>>>({});
  const [health, setHealth] = useState<ServiceHealth>();
  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    // What fails is not shown: the page of models says why.
    const ignore = () => {};
    void call(listDisplayedModels, { signal }).then(({ data }) => setProviders(data), ignore);
    if (hasStatus)
      void call(getServiceHealth, { signal }).then(({ data }) => setHealth(data), ignore);
    return () => leaving.abort();
  }, [hasStatus]);
  const { shown, count } = buildModelsToShow(providers);
  const { judged, working } = buildWorkingModels(health);
  if (count === 0) return null;
  return (
    <Card
      className="grow basis-80"
      title={<Plural value={count} one="# model" other="# models" />}
      note={<Trans>US dollars per 1M tokens, input and output</Trans>}
      action={
        judged > 0 && (
          <ButtonLink to="/status" size="sm">
            <span aria-hidden="true" className={working === judged ? "text-good" : "text-warn"}>
              ●
            </span>
            <Trans>
              {working} of {judged} work
            </Trans>
          </ButtonLink>
        )
      }
    >
      <ul className="divide-y divide-line">
        {shown.map(({ name, input_price, output_price }) => (
          <li key={name} className="flex justify-between gap-4 py-1.5">
            <span className="min-w-0 truncate font-mono text-sm">{name}</span>
            <span className="shrink-0 text-muted text-sm tabular-nums">
              {price(input_price)} / {price(output_price)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

const price = (dollars: number): string =>
  Number.isNaN(dollars) ? missing : formatOwnDollars(dollars);
