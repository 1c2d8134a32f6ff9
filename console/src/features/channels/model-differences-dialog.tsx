import { Plural, Trans, useLingui } from "@lingui/react/macro";
import { type UseQueryResult, useMutation, useQueries } from "@tanstack/react-query";
import { changeManyChannels } from "@tollgate/contract/api/bulk-verbs.ts";
import {
  getChannel,
  listChannels,
  searchChannels,
  updateChannel,
} from "@tollgate/contract/catalogue/channels.ts";
import {
  compareModels,
  type ModelDifference,
} from "@tollgate/contract/catalogue/model-differences.ts";
import { type ReactNode, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { findRequestId, readReason } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { takeBack } from "../../components/bulk/take-back.ts";
import { ModelCheckboxes } from "../../components/forms/model-checkboxes.tsx";
import { Alert } from "../../ui/alert.tsx";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/form/input.tsx";
import { formatInteger } from "../../ui/format.ts";
import { Dialog } from "../../ui/menu/dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { toast } from "../../ui/toast.tsx";
import { type ChosenModels, listActsBack, listModels, noModelsChosen } from "./chosen-models.ts";

type ComparisonQuery = UseQueryResult<{ data: ModelDifference }>;
type Choices = Readonly<Record<string, ChosenModels>>;

type ModelDifferencesDialogProps = {
  ids: readonly string[];
  onDone?: () => void;
  onClose: () => void;
};

const lists = [listChannels, searchChannels, getChannel] as const;

/**
 * `ModelDifferencesDialog` shows what the providers of channels offer and the channels do not, and
 * the other way round; only what is chosen changes.
 */
export function ModelDifferencesDialog({ ids, onDone, onClose }: ModelDifferencesDialogProps) {
  const { t } = useLingui();
  const key = useId();
  const [turn, setTurn] = useState(0);
  const [choices, setChoices] = useState<Choices>({});
  /** Providers are asked one after the other: many channels may belong to one of them. */
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const compared: ComparisonQuery[] = useQueries({
    queries: ids.map((id) => ({
      queryKey: ["model differences", key, turn, id],
      queryFn: () => {
        const answer = queue.current.then(() => api.call(compareModels, { params: { id } }));
        queue.current = answer.catch(() => undefined);
        return answer;
      },
      gcTime: 0,
      retry: false,
      refetchOnWindowFocus: false,
    })),
  });
  const changes = compared.flatMap(({ data }) => {
    const chosen = data && choices[data.data.uuid];
    const count = chosen === undefined ? 0 : chosen.added.length + chosen.gone.length;
    return data && chosen && count > 0
      ? [{ of: data.data, chosen, models: listModels(data.data, chosen), count }]
      : [];
  });
  const count = changes.reduce((sum, change) => sum + change.count, 0);
  const isEmptied = changes.some(({ models }) => models.length === 0);
  const apply = useMutation({
    mutationFn: async () => {
      for (const { of, models } of changes) {
        const { id, uuid, updated_at } = of;
        await api.call(updateChannel, { body: { id, uuid, models: models.join(","), updated_at } });
        setChoices((before) => ({ ...before, [uuid]: noModelsChosen }));
      }
    },
    onSuccess: () => {
      const done = formatInteger(count);
      const acts = changes.flatMap(({ of, chosen }) => listActsBack(of.uuid, chosen));
      toast(t`${done} model changes are saved`, {
        undo: () => void takeBack(changeManyChannels, acts, lists),
      });
      onDone?.();
      onClose();
    },
    // Some channels may have changed: they are compared anew.
    onError: () => setTurn(turn + 1),
    onSettled: () => Promise.all(lists.map(api.refresh)),
  });
  const shown = formatInteger(count);
  return createPortal(
    <Dialog
      open
      width="md"
      onClose={onClose}
      locked={apply.isPending}
      keepsInput={count > 0}
      title={t`Compare models`}
      footer={
        <>
          <Button onClick={onClose} disabled={apply.isPending}>
            <Trans>Cancel</Trans>
          </Button>
          <Button
            variant="primary"
            busy={apply.isPending}
            disabled={count === 0 || isEmptied}
            onClick={() => apply.mutate()}
          >
            {t`Save the chosen changes (${shown})`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-5">
        <p className="text-muted">
          <Trans>
            The gateway asks the providers for their models. Nothing changes until you save.
          </Trans>
        </p>
        {compared.map((query, place) => (
          <DifferenceOf
            key={ids[place]}
            query={query}
            chosen={choices[query.data?.data.uuid ?? ""] ?? noModelsChosen}
            onChoose={(uuid, chosen) => setChoices({ ...choices, [uuid]: chosen })}
          />
        ))}
        {isEmptied && (
          <p role="status" className="text-bad">
            <Trans>A channel keeps at least one model.</Trans>
          </p>
        )}
        {apply.error !== null && (
          <Alert
            title={readReason(apply.error, t`Operation failed`)}
            requestId={findRequestId(apply.error)}
          />
        )}
      </div>
    </Dialog>,
    document.body,
  );
}

type DifferenceProps = {
  query: ComparisonQuery;
  chosen: ChosenModels;
  onChoose: (uuid: string, chosen: ChosenModels) => void;
};

function DifferenceOf({ query, chosen, onChoose }: DifferenceProps) {
  const { t } = useLingui();
  if (query.error !== null) return <Alert title={readReason(query.error, t`Operation failed`)} />;
  if (query.data === undefined) return <Skeleton className="h-16" />;
  const { uuid, name, outcome, failure, added, gone } = query.data.data;
  return (
    <section aria-label={name}>
      <h3 className="mb-1 font-medium [overflow-wrap:anywhere]">{name}</h3>
      {outcome === "unsupported" && (
        <p className="text-muted">
          <Trans>Providers of this type have no list to compare with.</Trans>
        </p>
      )}
      {outcome === "failed" && (
        <p className="text-bad [overflow-wrap:anywhere]">{t`No list: ${failure}`}</p>
      )}
      {outcome === "compared" && added.length + gone.length === 0 && (
        <p className="text-muted">
          <Trans>No difference.</Trans>
        </p>
      )}
      <ModelChoice
        models={added}
        label={<Plural value={added.length} one="# new model: add" other="# new models: add" />}
        chosen={chosen.added}
        onChoose={(names) => onChoose(uuid, { ...chosen, added: names })}
      />
      <ModelChoice
        models={gone}
        label={
          <Plural
            value={gone.length}
            one="# model is gone: remove"
            other="# models are gone: remove"
          />
        }
        chosen={chosen.gone}
        onChoose={(names) => onChoose(uuid, { ...chosen, gone: names })}
      />
    </section>
  );
}

type ModelChoiceProps = {
  models: readonly string[];
  label: ReactNode;
  chosen: readonly string[];
  onChoose: (models: readonly string[]) => void;
};

/** A box for all names, and one for each. */
function ModelChoice({ models, label, chosen, onChoose }: ModelChoiceProps) {
  const id = useId();
  if (models.length === 0) return null;
  const toggle = (model: string) =>
    onChoose(chosen.includes(model) ? chosen.filter((one) => one !== model) : [...chosen, model]);
  return (
    <div className="mt-2 rounded-md border border-line">
      <label
        htmlFor={`${id}-all`}
        className="flex min-h-9 items-center gap-2 border-line border-b px-3"
      >
        <Checkbox
          id={`${id}-all`}
          checked={chosen.length === models.length}
          onChange={(event) => onChoose(event.target.checked ? models : [])}
        />
        <span>{label}</span>
      </label>
      <ModelCheckboxes id={id} models={models} chosen={chosen} onToggle={toggle} />
    </div>
  );
}
