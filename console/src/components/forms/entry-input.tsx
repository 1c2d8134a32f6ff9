import { Trans } from "@lingui/react/macro";
import { type KeyboardEvent, useId, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { FieldFrame } from "../../ui/form/form-field.tsx";
import { Input } from "../../ui/form/input.tsx";

type EntryInputProps = {
  label: string;
  /** `pattern` is the form of a right entry; the sentence beside it is for one that differs. */
  pattern: RegExp;
  wrong: string;
  maxLength: number;
  onEntry: (entry: string) => void;
};

/** Adds an entry to a list by its name, for what the list does not offer. */
export function EntryInput({ label, pattern, wrong, maxLength, onEntry }: EntryInputProps) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const entry = typed.trim();
  const isWrong = entry !== "" && !pattern.test(entry);
  const add = () => {
    if (entry === "" || isWrong) return;
    onEntry(entry);
    setTyped("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter") return;
    // Enter must not save the form.
    event.preventDefault();
    add();
  };
  return (
    <FieldFrame id={id} label={label} error={isWrong ? wrong : undefined}>
      <div className="flex gap-2">
        <Input
          id={id}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? `${id}-error` : undefined}
          className="font-mono text-sm!"
          autoComplete="off"
          maxLength={maxLength}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onKeyDown={onKeyDown}
        />
        <Button onClick={add}>
          <Trans>Add</Trans>
        </Button>
      </div>
    </FieldFrame>
  );
}
