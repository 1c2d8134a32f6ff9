import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { listChannels } from "@tollgate/contract/catalogue/channels.ts";
import clsx from "clsx";
import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { api } from "../../api-queries.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/**
 * `FirstSteps` lists the steps that are left until a call is served, for an account that has spent
 * nothing. It disappears with the first call.
 */
export function FirstSteps({ admin }: { admin: boolean }) {
  const { t } = useLingui();
  const one = { query: { p: 0, size: 1 } };
  const channels = useQuery({
    ...api.query(listChannels, one),
    enabled: admin,
    select: ({ data }) => data.length > 0,
  });
  const tokens = useQuery({ ...api.query(listTokens, one), select: ({ data }) => data.length > 0 });
  if (tokens.data === undefined || (admin && channels.data === undefined)) return null;
  const hasChannel = !admin || channels.data === true;
  return (
    <Card
      title={<Trans>First steps</Trans>}
      note={<Trans>Nothing to measure until the first call.</Trans>}
    >
      <ol className="flex flex-col">
        {admin && (
          <FirstStep
            number={1}
            isDone={hasChannel}
            isNext={!hasChannel}
            title={t`Connect a provider`}
            text={t`Paste its key; models and prices are found.`}
            action={
              <ButtonLink
                to="/channels/connect"
                variant={hasChannel ? "secondary" : "primary"}
                size="sm"
              >
                <Trans>Connect</Trans>
              </ButtonLink>
            }
          />
        )}
        <FirstStep
          number={admin ? 2 : 1}
          isDone={tokens.data}
          isNext={hasChannel && !tokens.data}
          title={t`Create a key`}
          text={t`One key per program makes its spending visible.`}
          action={
            <ButtonLink
              to="/tokens/add"
              variant={hasChannel && !tokens.data ? "primary" : "secondary"}
              size="sm"
            >
              <Trans>Create an API key</Trans>
            </ButtonLink>
          }
        />
        <FirstStep
          number={admin ? 3 : 2}
          isDone={false}
          isNext={hasChannel && tokens.data}
          title={t`Make the first call`}
          text={t`"Use this key" in the menu of a key has the commands for your program.`}
          action={
            <ButtonLink
              to="/tokens"
              variant={hasChannel && tokens.data ? "primary" : "secondary"}
              size="sm"
            >
              <Trans>Tokens</Trans>
            </ButtonLink>
          }
        />
      </ol>
    </Card>
  );
}

type FirstStepProps = {
  number: number;
  isDone: boolean;
  isNext: boolean;
  title: string;
  text: string;
  action: ReactNode;
};

function FirstStep({ number, isDone, isNext, title, text, action }: FirstStepProps) {
  return (
    <li
      aria-current={isNext ? "step" : undefined}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 border-line py-2.5 not-first:border-t"
    >
      <span
        className={clsx(
          "grid size-7 shrink-0 place-items-center rounded-full font-medium text-sm tabular-nums",
          isDone
            ? "bg-good-soft text-good"
            : isNext
              ? "bg-accent-soft text-accent"
              : "bg-sunken text-muted",
        )}
      >
        {isDone ? (
          <>
            <Check aria-hidden="true" className="size-4" />
            <span className="sr-only">
              <Trans>Done</Trans>
            </span>
          </>
        ) : (
          number
        )}
      </span>
      <span className="min-w-0 grow basis-48">
        <span className={clsx("block font-medium", isDone && "text-muted")}>{title}</span>
        {!isDone && <span className="block text-muted text-sm">{text}</span>}
      </span>
      {!isDone && action}
    </li>
  );
}
