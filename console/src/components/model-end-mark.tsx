import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listOwnModelEnds, type OwnModelEnd } from "@tollgate/contract/catalogue/model-ends.ts";
import { api } from "../api-queries.ts";
import { hasFeature, useSession } from "../session.ts";
import { Badge } from "../ui/badge.tsx";

const dayMs = 86_400_000;
/** Clients are told in headers from here on. */
const soonDays = 60;

/**
 * `useModelEnds` gives the ends by the names that clients use; none for visitors and on servers
 * that do not know.
 */
export function useModelEnds(): ReadonlyMap<string, OwnModelEnd> {
  const { status, user } = useSession();
  const ends = useQuery({
    ...api.query(listOwnModelEnds),
    enabled: user !== null && hasFeature(status, "model_ends"),
    staleTime: 600_000,
    select: groupByModel,
  });
  return ends.data ?? none;
}

const none: ReadonlyMap<string, OwnModelEnd> = new Map();
const mapsOfLists = new WeakMap<readonly OwnModelEnd[], ReadonlyMap<string, OwnModelEnd>>();

/** `groupByModel` gives one map of a list, however many rows look a model up. */
function groupByModel({
  data,
}: {
  data: readonly OwnModelEnd[];
}): ReadonlyMap<string, OwnModelEnd> {
  const known = mapsOfLists.get(data);
  if (known) return known;
  const ends = new Map(data.map((end) => [end.model, end]));
  mapsOfLists.set(data, ends);
  return ends;
}

/**
 * Beside the name of a model that ends within 60 days, or has ended. `isShort` leaves the day to
 * the tip, for lists with many rows of one model.
 */
export function ModelEndMark({ model, isShort = false }: { model: string; isShort?: boolean }) {
  const end = useModelEnds().get(model);
  return end === undefined ? null : <EndBadge end={end} isShort={isShort} />;
}

function EndBadge({
  end: { ends_on, replacement },
  isShort,
}: {
  end: OwnModelEnd;
  isShort: boolean;
}) {
  const { t } = useLingui();
  const left = Date.parse(ends_on) - Date.now();
  if (left > soonDays * dayMs) return null;
  const when =
    left > 0
      ? t`Its provider ends this model on ${ends_on}.`
      : t`Its provider ended this model on ${ends_on}.`;
  const text = replacement === "" ? when : `${when} ${t`In its place: ${replacement}`}`;
  return (
    <Badge tone={left > 0 ? "warn" : "bad"} title={text}>
      {left <= 0 ? (
        <Trans>Ended</Trans>
      ) : isShort ? (
        <Trans>Ends soon</Trans>
      ) : (
        <Trans>Ends {ends_on}</Trans>
      )}
    </Badge>
  );
}
