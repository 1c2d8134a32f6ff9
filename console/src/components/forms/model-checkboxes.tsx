import { useLingui } from "@lingui/react/macro";
import { type KeyboardEvent, useState } from "react";
import { Checkbox } from "../../ui/form/input.tsx";

type ModelCheckboxesProps = {
  id: string;
  models: readonly string[];
  chosen: readonly string[];
  onToggle: (model: string) => void;
};

/**
 * `ModelCheckboxes` gives one Tab stop with arrow keys inside: a provider may have hundreds of
 * models. A read-only form shows the list in its full height, because nothing in it could take the
 * focus to scroll it by keyboard.
 */
export function ModelCheckboxes({ id, models, chosen, onToggle }: ModelCheckboxesProps) {
  const { t } = useLingui();
  const [active, setActive] = useState(models[0]);
  const stop = active !== undefined && models.includes(active) ? active : models[0];
  if (models.length === 0) return null;
  const selected = new Set(chosen);
  return (
    // biome-ignore lint/a11y/useSemanticElements: the field's own label names the group; a fieldset would name it twice
    <div
      role="group"
      aria-label={t`Models`}
      id={id}
      onKeyDown={moveFocus}
      className="max-h-56 overflow-y-auto p-1 in-[fieldset:disabled]:max-h-none"
    >
      {models.map((model) => (
        <label
          key={model}
          htmlFor={`${id}-${model}`}
          className="flex min-h-8 items-center gap-2 rounded-sm px-2 hover:bg-hover"
        >
          <Checkbox
            id={`${id}-${model}`}
            checked={selected.has(model)}
            tabIndex={model === stop ? 0 : -1}
            onFocus={() => setActive(model)}
            onChange={() => onToggle(model)}
          />
          <span className="min-w-0 truncate font-mono text-sm">{model}</span>
        </label>
      ))}
    </div>
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>) {
  const boxes = [...event.currentTarget.querySelectorAll("input")];
  const at = boxes.findIndex((box) => box.matches(":focus"));
  const target = {
    ArrowDown: boxes[at + 1],
    ArrowUp: boxes[at - 1],
    Home: boxes[0],
    End: boxes.at(-1),
  }[event.key];
  if (event.key === "Enter") event.preventDefault();
  if (target === undefined) return;
  event.preventDefault();
  target.focus();
}
