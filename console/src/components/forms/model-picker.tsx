import { Plural, Trans, useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { Plus, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import type { FieldOf } from "../../ui/form/form-contract.ts";
import { FieldFrame, useField } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";
import { ModelCheckboxes } from "./model-checkboxes.tsx";
import { listOfferedModels } from "./model-picker-rules.ts";

type ModelPickerProps = FieldOf<string[]> & {
  label: ReactNode;
  help?: ReactNode;
  offered: readonly string[];
  isLoading?: boolean;
  /** Shown when no model could be loaded: the reason and a retry button. */
  emptyReason?: ReactNode;
  /** The user may type names that are not offered. */
  allowsCustom?: boolean;
};

/** A searchable list of checkboxes, with the chosen models as removable chips. */
export function ModelPicker({
  name,
  label,
  help,
  offered,
  isLoading = false,
  emptyReason,
  allowsCustom = false,
}: ModelPickerProps) {
  const { t } = useLingui();
  const { id, field, error, aria } = useField<string[]>(name, { help });
  const [typed, setTyped] = useState("");
  const chosen = field.value;
  // While the list loads, a typed name is not addable: the list may offer it and would replace the
  // row under the pointer.
  const { shown, addable } = listOfferedModels(offered, chosen, typed, allowsCustom && !isLoading);
  const choose = (models: string[]) => field.onChange([...new Set(models)]);
  const toggle = (model: string) =>
    choose(chosen.includes(model) ? chosen.filter((other) => other !== model) : [...chosen, model]);
  const add = () => {
    if (addable === undefined) return;
    choose([...chosen, ...addable]);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") {
      // Enter in a search must not save the form.
      event.preventDefault();
      const [only] = shown;
      if (addable !== undefined) add();
      else if (shown.length === 1 && only !== undefined) toggle(only);
    } else if (event.key === "ArrowDown") {
      event.preventDefault();
      document.getElementById(`${id}-list`)?.querySelector("input")?.focus();
    }
  };
  return (
    <FieldFrame
      id={id}
      label={label}
      help={help}
      error={error}
      aside={
        chosen.length > 0 && (
          <span className="text-muted text-sm">
            <Plural value={chosen.length} one="# chosen" other="# chosen" />
          </span>
        )
      }
    >
      <ModelChips chosen={chosen} onRemove={toggle} />
      <div className="overflow-hidden rounded-md border border-edge">
        <div className="flex items-center gap-1 border-line border-b p-1">
          <Input
            {...aria}
            ref={field.ref}
            name={field.name}
            onBlur={field.onBlur}
            type="search"
            controlSize="sm"
            autoComplete="off"
            placeholder={allowsCustom ? t`Search models or type a name` : t`Search models...`}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            onKeyDown={onKeyDown}
            className="border-transparent!"
          />
          {shown.length > 0 && (
            <Button size="sm" variant="ghost" onClick={() => choose([...chosen, ...shown])}>
              <Trans>Select all</Trans>
            </Button>
          )}
          {chosen.length > 0 && (
            <Button size="sm" variant="ghost" onClick={() => choose([])}>
              <Trans>Clear</Trans>
            </Button>
          )}
        </div>
        {addable !== undefined && (
          <button
            type="button"
            onClick={add}
            className="flex min-h-9 w-full items-center gap-2 px-3 text-left hover:bg-hover"
          >
            <Plus aria-hidden="true" className="size-4 shrink-0 text-accent" />
            <span className="min-w-0 truncate font-mono text-sm">{addable.join(", ")}</span>
            <span className="sr-only">
              <Trans>Add</Trans>
            </span>
          </button>
        )}
        <ModelCheckboxes id={`${id}-list`} models={shown} chosen={chosen} onToggle={toggle} />
        {shown.length === 0 && addable === undefined && (
          <div className={clsx("px-3 py-2 text-muted text-sm", isLoading && "h-56")}>
            {isLoading ? <Trans>Loading...</Trans> : emptyReason || <Trans>No models found</Trans>}
          </div>
        )}
      </div>
    </FieldFrame>
  );
}

function ModelChips({
  chosen,
  onRemove,
}: {
  chosen: readonly string[];
  onRemove: (model: string) => void;
}) {
  const { t } = useLingui();
  if (chosen.length === 0) return null;
  return (
    <ul className="flex max-h-40 flex-wrap gap-1.5 overflow-y-auto" aria-label={t`Chosen models`}>
      {chosen.map((model) => (
        <li
          key={model}
          className="inline-flex max-w-full items-center rounded-full bg-sunken pl-2.5 font-mono text-xs"
        >
          <span className="truncate">{model}</span>
          <button
            type="button"
            aria-label={t`Remove ${model}`}
            onClick={() => onRemove(model)}
            className="grid size-6 shrink-0 place-items-center rounded-full text-muted hover:bg-hover hover:text-ink"
          >
            <X aria-hidden="true" className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );
}
