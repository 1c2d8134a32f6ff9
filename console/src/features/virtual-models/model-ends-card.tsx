import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import {
  forgetModelEnd,
  listModelEnds,
  listOwnModelEnds,
  type ModelEnd,
} from "@tollgate/contract/catalogue/model-ends.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import {
  ItemActions,
  ItemList,
  ItemRow,
  ItemText,
  ItemTitle,
} from "../../components/lists/item-row.tsx";
import { toastError } from "../../components/toast-failure.ts";
import { hasFeature, useSession } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { buildLazyPart } from "../../ui/lazy-part.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import type { ModelEndDraft } from "./model-end-dialog.tsx";

const ModelEndDialog = buildLazyPart(
  async () => (await import("./model-end-dialog.tsx")).ModelEndDialog,
);

/** `soonDays` come from here on clients are told in headers too. */
const soonDays = 60;

/**
 * `ModelEndsCard` lists the things that will fail when providers end models, and their dependants.
 */
export function ModelEndsCard() {
  const { t } = useLingui();
  const knowsEnds = hasFeature(useSession().status, "model_ends");
  const ends = useQuery({ ...api.query(listModelEnds), enabled: knowsEnds });
  const [draft, setDraft] = useState<ModelEndDraft>();
  if (!knowsEnds) return null;
  const models = ends.data?.data ?? [];
  const set = ends.data?.set ?? [];
  /** Models that stay by what an administrator said, and such that no channel offers. */
  const others = set.filter(
    ({ model }) => !models.some((end) => end.model === model && end.source === "operator"),
  );
  return (
    <Card
      title={<Trans>Models that end</Trans>}
      note={
        <Trans>
          Calls fail once a provider has ended a model. A virtual model of its name can lead them to
          another one.
        </Trans>
      }
      action={
        <ChangeOnly>
          <Button size="sm" onClick={() => setDraft({ model: "", ends_on: "", replacement: "" })}>
            <Trans>Set a day</Trans>
          </Button>
        </ChangeOnly>
      }
    >
      <ItemList
        source={ends}
        rows={models}
        empty={
          <Trans>As far as is known, no model of an enabled channel ends within a year.</Trans>
        }
      >
        {(end) => <ModelEndItem key={`${end.model} ${end.ends_on}`} end={end} onEdit={setDraft} />}
      </ItemList>
      {others.length > 0 && (
        <ul
          aria-label={t`Set by administrators`}
          className="mt-3 flex flex-col divide-y divide-line border-line border-t pt-3"
        >
          {others.map(({ model, ends_on, replacement }) => (
            <ItemRow key={model}>
              <ItemText>
                <ItemTitle>
                  <ModelId model={model} />
                  <Badge>
                    {ends_on === null ? <Trans>Stays</Trans> : <Trans>Not offered</Trans>}
                  </Badge>
                  {ends_on !== null && <Day day={ends_on} />}
                </ItemTitle>
                <p className="text-muted text-sm">
                  <Trans>Set by an administrator</Trans>
                </p>
              </ItemText>
              <SetActions
                draft={{ model, ends_on: ends_on ?? "", replacement }}
                isSet
                onEdit={setDraft}
              />
            </ItemRow>
          ))}
        </ul>
      )}
      {draft !== undefined && (
        <ModelEndDialog initial={draft} onClose={() => setDraft(undefined)} />
      )}
    </Card>
  );
}

const ModelId = ({ model }: { model: string }) => (
  <span className="font-medium font-mono [overflow-wrap:anywhere]">{model}</span>
);

const Day = ({ day }: { day: string }) => (
  <time dateTime={day} className="text-muted text-sm">
    {day}
  </time>
);

type SetActionsProps = {
  draft: ModelEndDraft;
  isSet: boolean;
  onEdit: (draft: ModelEndDraft) => void;
};

/** `isSet`: an administrator said it, which can be forgotten. */
function SetActions({ draft, isSet, onEdit }: SetActionsProps) {
  const { t } = useLingui();
  const { model } = draft;
  const forget = async () => {
    await api.change(forgetModelEnd, [listModelEnds, listOwnModelEnds], { body: { model } });
  };
  return (
    <ItemActions>
      <Button size="sm" aria-label={t`Set a day for ${model}`} onClick={() => onEdit(draft)}>
        <Trans>Set a day</Trans>
      </Button>
      {isSet && (
        <Button
          size="sm"
          variant="ghost"
          aria-label={t`Remove the date set for ${model}`}
          onClick={() => void forget().catch(toastError)}
        >
          <Trans>Forget</Trans>
        </Button>
      )}
    </ItemActions>
  );
}

function ModelEndItem({ end, onEdit }: { end: ModelEnd; onEdit: (draft: ModelEndDraft) => void }) {
  const { t } = useLingui();
  const { model, ends_on, days_left, channels, virtual_models, calls, users, source } = end;
  // Servers of the release before name neither.
  const { replacement = "" } = end;
  const channelNames = channels.map(({ name }) => name).join(", ");
  const virtualNames = virtual_models.join(", ");
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <ModelId model={model} />
          {days_left > 0 ? (
            <Badge tone={days_left <= soonDays ? "warn" : "neutral"}>
              <Plural value={days_left} one="# day left" other="# days left" />
            </Badge>
          ) : (
            <Badge tone="bad">
              <Trans>Ended</Trans>
            </Badge>
          )}
          <Day day={ends_on} />
        </ItemTitle>
        <p className="text-muted text-sm [overflow-wrap:anywhere]">
          {t`Channels: ${channelNames}`}
          {virtualNames !== "" && ` · ${t`Virtual models: ${virtualNames}`}`}
        </p>
        <p className="text-sm [overflow-wrap:anywhere]">
          {calls === 0 ? (
            <Trans>No call in 14 days</Trans>
          ) : (
            <>
              <Plural value={calls} one="# call in 14 days" other="# calls in 14 days" />
              {" · "}
              <Plural value={users} one="# user" other="# users" />
            </>
          )}
          {replacement !== "" && ` · ${t`In its place: ${replacement}`}`}
        </p>
        {source !== "list" && (
          <p className="text-muted text-sm">
            {source === "provider" ? (
              <Trans>By the provider's own list</Trans>
            ) : (
              <Trans>Set by an administrator</Trans>
            )}
          </p>
        )}
      </ItemText>
      <ItemActions>
        <ButtonLink
          size="sm"
          to="/channels/virtual/{-$id}"
          params={{ id: "add" }}
          aria-label={t`Replace ${model}`}
        >
          <Trans>Replace</Trans>
        </ButtonLink>
        <SetActions
          draft={{ model, ends_on, replacement }}
          isSet={source === "operator"}
          onEdit={onEdit}
        />
      </ItemActions>
    </ItemRow>
  );
}
