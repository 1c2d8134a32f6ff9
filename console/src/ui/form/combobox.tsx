import clsx from "clsx";
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from "react";
import { Input } from "./input.tsx";

export type Suggestion = { id: string; text: string; detail?: ReactNode };

type ComboboxProps = {
  /** The id of the input, for an external label. */
  id?: string;
  input: RefObject<HTMLInputElement | null>;
  label: string;
  placeholder: string;
  text: string;
  onText: (text: string) => void;
  suggestions: readonly Suggestion[];
  /** Shown in the list in place of suggestions: a hint, "Loading...", an error. */
  note?: ReactNode;
  onPick: (suggestion: Suggestion) => void;
  /** Enter without an active suggestion. */
  onSubmit: () => void;
  /** The input lost the focus. */
  onLeave?: () => void;
};

/** A text input with suggestions: arrows select, Enter picks, Escape closes and then clears. */
export function Combobox({
  id: inputId,
  input,
  label,
  placeholder,
  text,
  onText,
  suggestions,
  note,
  onPick,
  onSubmit,
  onLeave,
}: ComboboxProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const active = isOpen ? suggestions[at] : undefined;
  const hasList = isOpen && suggestions.length > 0;
  const close = () => {
    setOpen(false);
    setAt(-1);
  };
  const pick = (suggestion: Suggestion) => {
    close();
    onPick(suggestion);
  };
  const move = (step: 1 | -1) => {
    if (!isOpen) setOpen(true);
    // One position more than suggestions: -1 is the input itself.
    const positions = suggestions.length + 1;
    setAt(((at + 1 + step + positions) % positions) - 1);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (active !== undefined) pick(active);
      else {
        close();
        onSubmit();
      }
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      close();
    }
  };
  return (
    <div className="relative min-w-0">
      <Input
        id={inputId}
        ref={input}
        type="search"
        role="combobox"
        controlSize="sm"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={hasList}
        aria-controls={hasList ? `${id}-list` : undefined}
        aria-activedescendant={active === undefined ? undefined : `${id}-${active.id}`}
        aria-describedby={isOpen && note !== undefined ? `${id}-note` : undefined}
        placeholder={placeholder}
        autoComplete="off"
        enterKeyHint="search"
        value={text}
        onFocus={() => setOpen(true)}
        onBlur={() => {
          close();
          onLeave?.();
        }}
        onChange={(event) => {
          setOpen(true);
          setAt(-1);
          onText(event.target.value);
        }}
        onKeyDown={onKeyDown}
        className="pr-9 [&::-webkit-search-cancel-button]:hidden"
      />
      {isOpen && (hasList || note !== undefined) && (
        // A scrolling list would be a tab stop, and would close as soon as it has the focus.
        <div
          tabIndex={-1}
          className="absolute top-full right-0 left-0 z-20 mt-1 max-h-72 overflow-y-auto rounded-lg bg-raised p-1 shadow-float"
        >
          {note !== undefined && (
            <p id={`${id}-note`} className="px-2 py-1.5 text-muted text-sm">
              {note}
            </p>
          )}
          {hasList && (
            <SuggestionList
              id={id}
              label={label}
              suggestions={suggestions}
              at={at}
              onHover={setAt}
              onPick={pick}
            />
          )}
        </div>
      )}
    </div>
  );
}

type SuggestionListProps = {
  id: string;
  label: string;
  suggestions: readonly Suggestion[];
  at: number;
  onHover: (at: number) => void;
  onPick: (suggestion: Suggestion) => void;
};

function SuggestionList({ id, label, suggestions, at, onHover, onPick }: SuggestionListProps) {
  return (
    <div role="listbox" id={`${id}-list`} aria-label={label}>
      {suggestions.map((suggestion, index) => (
        // The input keeps the focus and announces the active option, so an option is not focusable.
        <div
          key={suggestion.id}
          id={`${id}-${suggestion.id}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          onPointerMove={() => onHover(index)}
          onPointerDown={(event) => {
            event.preventDefault();
            onPick(suggestion);
          }}
          className={clsx(
            "flex min-h-8 cursor-pointer items-center justify-between gap-3 rounded-md px-2",
            index === at && "bg-hover",
          )}
        >
          <span className="min-w-0 truncate">{suggestion.text}</span>
          <span className="shrink-0 text-muted text-sm">{suggestion.detail}</span>
        </div>
      ))}
    </div>
  );
}
