import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listModelEnds, type ModelEnd } from "@tollgate/contract/model-ends.ts";
import { api } from "../../api-queries.ts";
import { ItemActions, ItemList, ItemRow, ItemText, ItemTitle } from "../../components/item-row.tsx";
import { hasFeature, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";

/** From here on clients are told in headers too. */
const soonDays = 60;

/** What will fail when providers end models, and what depends on it; nothing where no offered model ends. */
export function ModelEndsCard() {
  const knowsEnds = hasFeature(useSession().status, "model_ends");
  const ends = useQuery({ ...api.query(listModelEnds), enabled: knowsEnds });
  const models = ends.data?.data ?? [];
  if (ends.error === null && models.length === 0) return null;
  return (
    <Card
      title={<Trans>Models that end</Trans>}
      note={
        <Trans>
          Calls fail once a provider has ended a model. A virtual model of its name can lead them to another one.
        </Trans>
      }
    >
      <ItemList source={ends} rows={models}>
        {(end) => <ModelEndItem key={`${end.model} ${end.ends_on}`} end={end} />}
      </ItemList>
    </Card>
  );
}

function ModelEndItem({
  end: { model, ends_on, days_left, channels, virtual_models, calls, users },
}: {
  end: ModelEnd;
}) {
  const { t } = useLingui();
  const channelNames = channels.map(({ name }) => name).join(", ");
  const virtualNames = virtual_models.join(", ");
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <span className="font-medium font-mono [overflow-wrap:anywhere]">{model}</span>
          {days_left > 0 ? (
            <Badge tone={days_left <= soonDays ? "warn" : "neutral"}>
              <Plural value={days_left} one="# day left" other="# days left" />
            </Badge>
          ) : (
            <Badge tone="bad">
              <Trans>Ended</Trans>
            </Badge>
          )}
          <time dateTime={ends_on} className="text-muted text-sm">
            {ends_on}
          </time>
        </ItemTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t`Channels: ${channelNames}`}
          {virtualNames !== "" && ` · ${t`Virtual models: ${virtualNames}`}`}
        </p>
        <p className="text-sm">
          {calls === 0 ? (
            <Trans>No call in 14 days</Trans>
          ) : (
            <>
              <Plural value={calls} one="# call in 14 days" other="# calls in 14 days" />
              {" · "}
              <Plural value={users} one="# user" other="# users" />
            </>
          )}
        </p>
      </ItemText>
      <ItemActions>
        <ButtonLink size="sm" to="/channels/virtual/{-$id}" params={{ id: "add" }} aria-label={t`Replace ${model}`}>
          <Trans>Replace</Trans>
        </ButtonLink>
      </ItemActions>
    </ItemRow>
  );
}
