import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { readReason } from "../../api-error.ts";
import { Combobox, type Suggestion } from "../../ui/form/combobox.tsx";
import { useDebounced } from "../use-debounced.ts";

const debounceMs = 300;
const staleTime = 60_000;
/** `offeredMax` names are offered at a time: a user who looks for another types more of it. */
export const offeredMax = 20;

type EntityComboboxProps = {
  id: string;
  label: string;
  /** What an empty value means. */
  placeholder: string;
  /** The id or uuid of what is chosen; empty for nothing. */
  value: string;
  onChange: (value: string) => void;
  /** `kind` names what is looked for in the cache. */
  kind: string;
  search: (keyword: string, signal: AbortSignal) => Promise<Suggestion[]>;
  readName: (value: string) => Promise<string>;
};

/** A combobox for one of what there may be thousands of. Typed text chooses nothing by itself. */
export function EntityCombobox({
  id,
  label,
  placeholder,
  value,
  onChange,
  kind,
  search,
  readName,
}: EntityComboboxProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  /** Undefined while the user is not typing: the field then shows what is chosen. */
  const [typed, setTyped] = useState<string>();
  const [picked, setPicked] = useState<Suggestion>();
  const keyword = useDebounced(typed?.trim() ?? "", debounceMs);
  const found = useQuery({
    queryKey: [`${kind} names`, keyword],
    staleTime,
    queryFn: ({ signal }) => search(keyword, signal),
  });
  const isPicked = picked?.id === value;
  const named = useQuery({
    queryKey: [`${kind} name`, value],
    staleTime,
    enabled: value !== "" && !isPicked,
    queryFn: () => readName(value),
  });
  const pick = (suggestion: Suggestion) => {
    setPicked(suggestion);
    setTyped(undefined);
    onChange(suggestion.id);
  };
  const isCurrent = keyword === (typed?.trim() ?? "");
  const offered = isCurrent ? (found.data ?? []) : [];
  const [first] = offered;
  const note =
    !isCurrent || found.isPending
      ? t`Loading...`
      : found.error !== null
        ? readReason(found.error, t`Operation failed`)
        : first === undefined
          ? t`No results.`
          : undefined;
  return (
    <Combobox
      id={id}
      input={input}
      label={label}
      placeholder={placeholder}
      text={typed ?? (isPicked ? picked.text : (named.data ?? value))}
      onText={(text) => {
        setTyped(text);
        if (text === "") onChange("");
      }}
      suggestions={offered}
      note={note}
      onPick={pick}
      onSubmit={() => typed && first && pick(first)}
      // Typed text without a choice chooses nothing.
      onLeave={() => setTyped(undefined)}
    />
  );
}
