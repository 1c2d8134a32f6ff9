import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { listModelEnds } from "@tollgate/contract/catalogue/model-ends.ts";
import {
  deleteVirtualModel,
  listVirtualModels,
  type VirtualModel,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { useState } from "react";
import { api } from "../../api-queries.ts";
import { readEntityRef } from "../../compat/entity-ids.ts";
import { FlashMessage } from "../../components/flash-message.tsx";
import { ItemName } from "../../components/lists/item-name.tsx";
import { ItemList, ItemRow, ItemText, ItemTitle } from "../../components/lists/item-row.tsx";
import { ItemVerbs } from "../../components/lists/item-verbs.tsx";
import { ManagedBadge } from "../../components/managed-badge.tsx";
import { Badge } from "../../ui/badge.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Card } from "../../ui/card.tsx";
import { Input } from "../../ui/form/input.tsx";
import { formatPercent } from "../../ui/format.ts";
import { Page } from "../../ui/page.tsx";
import { ModelEndsCard } from "./model-ends-card.tsx";
import { listTargetShares, readDraft } from "./virtual-model-draft.ts";
import { strategyWords } from "./virtual-model-words.ts";

/** `searchFrom` is the length from which a list is searched rather than read. */
const searchFrom = 10;

/** Names that stand for tiers of real models. */
export function VirtualModelListPage() {
  const { t } = useLingui();
  const [text, setText] = useState("");
  const models = useQuery({ ...api.query(listVirtualModels), select: (reply) => reply.data });
  const all = models.data ?? [];
  const searched = text.trim().toLowerCase();
  const shown = all.filter(({ name, tiers }) =>
    [name, ...tiers.flatMap(({ targets }) => targets.map(({ model }) => model))].some((one) =>
      one.toLowerCase().includes(searched),
    ),
  );
  return (
    <Page
      title={t`Virtual models`}
      subtitle={t`Names that clients call like a model, and that stand for others: fallbacks, weights and canaries`}
      action={
        <ButtonLink to="/channels/virtual/{-$id}" params={{ id: "add" }} variant="primary">
          <Trans>New virtual model</Trans>
        </ButtonLink>
      }
    >
      <FlashMessage />
      {(all.length >= searchFrom || text !== "") && (
        <Input
          type="search"
          controlSize="sm"
          className="md:w-80!"
          aria-label={t`Search virtual models`}
          placeholder={t`Search names and models...`}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <Card title={<Trans>Names</Trans>}>
        <ItemList
          source={models}
          rows={shown}
          empty={
            all.length === 0 ? (
              <Trans>No virtual models yet. Calls go to the model they name.</Trans>
            ) : (
              <Trans>Nothing matches your search.</Trans>
            )
          }
        >
          {(model) => <VirtualModelItem key={readEntityRef(model)} model={model} />}
        </ItemList>
      </Card>
      <ModelEndsCard />
    </Page>
  );
}

function VirtualModelItem({ model }: { model: VirtualModel }) {
  const { t } = useLingui();
  const { name, unserved } = model;
  const id = readEntityRef(model);
  const missing = unserved.join(", ");
  return (
    <ItemRow>
      <ItemText>
        <ItemTitle>
          <ItemName to="/channels/virtual/{-$id}" id={id} isMono>
            {name}
          </ItemName>
          {!model.enabled && (
            <Badge>
              <Trans>Disabled</Trans>
            </Badge>
          )}
          {model.replaces_model && (
            <Badge tone="info">
              <Trans>Replaces a model</Trans>
            </Badge>
          )}
          <ManagedBadge by={model.managed_by} />
        </ItemTitle>
        <ol className="text-muted text-sm [overflow-wrap:anywhere]">
          {readDraft(model).tiers.map(({ key, strategy, targets }, index) => {
            const shares = listTargetShares(targets);
            const names = targets.map(({ model: target }, place) =>
              strategy === "weights" && targets.length > 1
                ? `${target} ${formatPercent((shares[place] ?? 0) * 100, 0, 1)}`
                : target,
            );
            return (
              <li key={key}>
                {index > 0 && <Trans>otherwise</Trans>} {names.join(" · ")}
                {strategy !== "weights" && ` (${t(strategyWords[strategy])})`}
              </li>
            );
          })}
        </ol>
        {missing !== "" && (
          <p className="text-sm text-warn [overflow-wrap:anywhere]">{t`No channel serves ${missing}`}</p>
        )}
      </ItemText>
      <ItemVerbs
        name={name}
        primary={
          <ButtonLink
            size="sm"
            to="/channels/virtual/{-$id}"
            params={{ id }}
            aria-label={t`Edit ${name}`}
          >
            <Trans>Edit</Trans>
          </ButtonLink>
        }
        removal={{
          question: (
            <Trans>
              Calls to this name are refused, unless a channel serves a model with the same name.
            </Trans>
          ),
          onDelete: () =>
            api.change(deleteVirtualModel, [listVirtualModels, listModelEnds], { params: { id } }),
        }}
      />
    </ItemRow>
  );
}
