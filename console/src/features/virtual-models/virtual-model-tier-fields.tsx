import { Trans, useLingui } from "@lingui/react/macro";
import {
  type TierStrategy,
  targetsMax,
  tierStrategies,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Button } from "../../ui/button.tsx";
import { FilterField, Input, Select } from "../../ui/form/input.tsx";
import { formatPercent } from "../../ui/format.ts";
import {
  addCanary,
  buildTarget,
  computeNextCanaryStep,
  computeWeight,
  type DraftTarget,
  type DraftTier,
  findCanaryPercent,
} from "./virtual-model-draft.ts";
import { strategyWords } from "./virtual-model-words.ts";

interface VirtualModelTierFieldsProps {
  tier: DraftTier;
  /** `place` comes from 1. */
  place: number;
  /** The datalist with names of models. */
  modelListId: string;
  onChange: (tier: DraftTier) => void;
  /** Missing for the only tier. */
  onRemove?: () => void;
}

export function VirtualModelTierFields({
  tier,
  place,
  modelListId,
  onChange,
  onRemove,
}: VirtualModelTierFieldsProps) {
  const { t } = useLingui();
  const { strategy, targets } = tier;
  const setTarget = (changed: DraftTarget) =>
    onChange({
      ...tier,
      targets: targets.map((target) => (target.key === changed.key ? changed : target)),
    });
  const percent = findCanaryPercent(tier);
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">
        {place === 1
          ? t`Tier 1: tried first`
          : t`Tier ${place}: used when no earlier tier can answer`}
      </legend>
      <div className="flex flex-wrap items-end justify-between gap-2">
        <FilterField label={t`Order of tier ${place}`} className="min-w-48">
          {(id) => (
            <Select
              id={id}
              controlSize="sm"
              value={strategy}
              onChange={({ target }) =>
                onChange({ ...tier, strategy: target.value as TierStrategy })
              }
            >
              {tierStrategies.map((name) => (
                <option key={name} value={name}>
                  {t(strategyWords[name])}
                </option>
              ))}
            </Select>
          )}
        </FilterField>
        {onRemove !== undefined && (
          <Button size="sm" variant="ghost" onClick={onRemove}>
            {t`Remove tier ${place}`}
          </Button>
        )}
      </div>
      <ul className="flex flex-col gap-2">
        {targets.map((target, index) => {
          const named = `${place}.${index + 1}`;
          return (
            <li key={target.key} className="flex items-end gap-2">
              <FilterField label={t`Model ${named}`} className="min-w-0 flex-1">
                {(id) => (
                  <Input
                    id={id}
                    controlSize="sm"
                    className="font-mono"
                    list={modelListId}
                    value={target.model}
                    maxLength={100}
                    autoComplete="off"
                    onChange={(event) => setTarget({ ...target, model: event.target.value })}
                  />
                )}
              </FilterField>
              <FilterField label={t`Weight ${named}`} className="w-24 max-sm:w-16">
                {(id) => (
                  <Input
                    id={id}
                    controlSize="sm"
                    inputMode="numeric"
                    autoComplete="off"
                    value={target.weight}
                    aria-invalid={Number.isNaN(computeWeight(target)) || undefined}
                    onChange={(event) => setTarget({ ...target, weight: event.target.value })}
                  />
                )}
              </FilterField>
              <Button
                size="sm"
                variant="ghost"
                aria-label={t`Remove model ${named}`}
                disabled={targets.length === 1}
                onClick={() =>
                  onChange({ ...tier, targets: targets.filter(({ key }) => key !== target.key) })
                }
                icon={<X />}
              />
            </li>
          );
        })}
      </ul>
      {targets.length < targetsMax && (
        <div>
          <Button
            size="sm"
            icon={<Plus />}
            aria-label={t`Add model to tier ${place}`}
            onClick={() => onChange({ ...tier, targets: [...targets, buildTarget()] })}
          >
            <Trans>Add model</Trans>
          </Button>
        </div>
      )}
      {percent !== undefined && (
        <CanarySlider
          model={targets[1]?.model ?? ""}
          percent={percent}
          onChange={(next) => onChange(addCanary(tier, next))}
        />
      )}
    </fieldset>
  );
}

type CanarySliderProps = { model: string; percent: number; onChange: (percent: number) => void };

/** Moves calls from the first to the second of two models. */
function CanarySlider({ model, percent, onChange }: CanarySliderProps) {
  const { t } = useLingui();
  const id = useId();
  const next = computeNextCanaryStep(percent);
  const nextShare = formatPercent(next, 0);
  return (
    <div className="flex flex-col gap-2 rounded-md bg-sunken p-3">
      <label htmlFor={id} className="flex flex-wrap justify-between gap-x-3">
        <span className="[overflow-wrap:anywhere]">
          {model === "" ? t`Calls to the second model` : t`Calls to ${model}`}
        </span>
        <span className="font-medium tabular-nums">{formatPercent(percent, 0)}</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={1}
        value={percent}
        aria-valuetext={formatPercent(percent, 0)}
        className="h-6 w-full accent-accent"
        onChange={({ target }) => onChange(Number(target.value))}
      />
      <div className="flex flex-wrap gap-2">
        <Button size="sm" disabled={percent === 100} onClick={() => onChange(next)}>
          {t`More: ${nextShare}`}
        </Button>
        <Button size="sm" disabled={percent === 100} onClick={() => onChange(100)}>
          <Trans>All calls</Trans>
        </Button>
        <Button size="sm" disabled={percent === 0} onClick={() => onChange(0)}>
          <Trans>Back: none</Trans>
        </Button>
      </div>
    </div>
  );
}
