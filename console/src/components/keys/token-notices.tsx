import { Trans, useLingui } from "@lingui/react/macro";
import { useMutation, useQuery } from "@tanstack/react-query";
import {
  confirmTokenNotices,
  listTokenNotices,
  type TakenAction,
} from "@tollgate/contract/accounts/all-tokens.ts";
import type { ReactNode } from "react";
import { api, queryClient } from "../../api-queries.ts";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { toastError } from "../toast-failure.ts";

/**
 * `TokenNotices` tells the acts of administrators on the user's keys, until the user has confirmed
 * to have read it.
 */
export function TokenNotices() {
  const { t } = useLingui();
  // Named, because the start page has no query client around it.
  const notices = useQuery(
    { ...api.query(listTokenNotices), select: (reply) => reply.data },
    queryClient,
  );
  const confirm = useMutation(
    {
      mutationFn: (until: number) =>
        api.change(confirmTokenNotices, [listTokenNotices], { body: { until } }),
    },
    queryClient,
  );
  const shown = notices.data ?? [];
  if (shown.length === 0) return null;
  const until = Math.max(...shown.map(({ at }) => at));
  return (
    <Alert tone="warn" title={t`An administrator changed your keys`}>
      <div className="flex flex-col items-start gap-2">
        <ul className="list-disc pl-5">
          {shown.map(({ uuid, name, action }) => (
            <li key={uuid}>
              <TakenActionText name={name} action={action} />
            </li>
          ))}
        </ul>
        <Button
          size="sm"
          busy={confirm.isPending}
          onClick={() => confirm.mutate(until, { onError: toastError })}
        >
          <Trans>I have read this</Trans>
        </Button>
      </div>
    </Alert>
  );
}

function TakenActionText({ name, action }: { name: string; action: TakenAction }): ReactNode {
  switch (action) {
    case "disabled":
      return <Trans>{name} was disabled: programs that use it are refused.</Trans>;
    case "paused":
      return (
        <Trans>{name} was paused: programs that use it are refused until it is resumed.</Trans>
      );
    case "replaced":
      return (
        <Trans>
          {name} has a new key, and the old one is refused. Copy the new key from your list of keys.
        </Trans>
      );
    default:
      action satisfies never;
      return name;
  }
}
