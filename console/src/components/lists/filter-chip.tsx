import { useLingui } from "@lingui/react/macro";
import clsx from "clsx";
import { X } from "lucide-react";
import { useId } from "react";
import { useUrlText } from "../texts/url-view.ts";

export type FilterChoice = { value: string; text: string };

type FilterChipProps = {
  /** The filter in the address, and in the query of the list. */
  name: string;
  label: string;
  choices: readonly FilterChoice[];
};

/**
 * `FilterChip` shows the name and the choice of a filter in a pill, which a press takes away again.
 */
export function FilterChip({ name, label: text, choices }: FilterChipProps) {
  const { t } = useLingui();
  const id = useId();
  const [value, setValue] = useUrlText(name);
  const isChosen = value !== "";
  // A link may hold what is no longer offered, such as the group of a channel that is gone.
  const isOffered = !isChosen || choices.some((choice) => choice.value === value);
  const offered = isOffered ? choices : [...choices, { value, text: value }];
  return (
    <span
      className={clsx(
        "inline-flex h-8 shrink-0 items-center rounded-full border text-sm",
        isChosen ? "border-accent" : "border-edge",
      )}
    >
      <label htmlFor={id} className="pl-3 text-muted">
        {text}
      </label>
      <select
        id={id}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        className={clsx(
          "field-sizing-content h-full max-w-40 truncate rounded-full bg-transparent pr-7 pl-1.5",
          isChosen && "font-medium",
        )}
      >
        <option value="">{t`All`}</option>
        {offered.map((choice) => (
          <option key={choice.value} value={choice.value} dir="auto">
            {choice.text}
          </option>
        ))}
      </select>
      {isChosen && (
        <button
          type="button"
          aria-label={t`Remove the filter ${text}`}
          onClick={() => setValue("")}
          className="mr-1 grid size-6 place-items-center rounded-full text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </span>
  );
}
