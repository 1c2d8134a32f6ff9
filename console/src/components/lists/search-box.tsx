import { Trans, useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { Search, X } from "lucide-react";
import { useRef, useState } from "react";
import { readReason } from "../../api-error.ts";
import { Combobox, type Suggestion } from "../../ui/form/combobox.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { useDebounced } from "../use-debounced.ts";

const debounceMs = 300;
const searchLengthMin = 2;

type SearchBoxProps = {
  label: string;
  placeholder: string;
  /** The current search; empty shows the whole list. */
  searched: string;
  onSearch: (text: string) => void;
  /** Part of the key of the suggestions in the query cache. */
  suggestionsKey: string;
  suggest: (text: string, signal: AbortSignal) => Promise<Suggestion[]>;
  /** True for a whole key or code, or the id of a call: there is nothing to suggest from. */
  isSecret: (text: string) => boolean;
};

/** Searches on Enter and suggests while the user types. */
export function SearchBox({
  label,
  placeholder,
  searched,
  onSearch,
  suggestionsKey,
  suggest,
  isSecret,
}: SearchBoxProps) {
  const { t } = useLingui();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(searched);
  const [before, setBefore] = useState(searched);
  // The URL changed elsewhere: by Back or by Clear filters.
  if (before !== searched) {
    setBefore(searched);
    setTyped(searched);
  }
  const typedText = typed.trim();
  const debounced = useDebounced(typedText, debounceMs);
  const isLongEnough = debounced.length >= searchLengthMin;
  const found = useQuery({
    queryKey: ["suggestions", suggestionsKey, debounced],
    queryFn: ({ signal }) => suggest(debounced, signal),
    enabled: isLongEnough && debounced !== searched && !isSecret(debounced),
    staleTime: 30_000,
  });
  const search = (text: string) => {
    setTyped(text);
    onSearch(text);
  };
  const submit = () => {
    if (typedText === "" || typedText.length >= searchLengthMin) search(typedText);
  };
  const isCurrent = isLongEnough && debounced === typedText;
  const note =
    typedText === searched || isSecret(typedText) ? undefined : typedText.length <
      searchLengthMin ? (
      <Trans>Type at least 2 characters to search</Trans>
    ) : !isCurrent || found.isPending ? (
      <Trans>Loading...</Trans>
    ) : found.error !== null ? (
      readReason(found.error, t`Operation failed`)
    ) : found.data.length === 0 ? (
      <Trans>No results.</Trans>
    ) : undefined;
  return (
    <search className="flex w-full min-w-0 items-center gap-1 sm:w-80">
      <div className="relative min-w-0 grow">
        <Combobox
          input={input}
          label={label}
          placeholder={placeholder}
          text={typed}
          onText={setTyped}
          suggestions={isCurrent && typedText !== searched ? (found.data ?? []) : []}
          note={note}
          onPick={(suggestion) => search(suggestion.text)}
          onSubmit={submit}
        />
        {typed !== "" && (
          <IconButton
            size="sm"
            label={t`Clear search`}
            icon={<X />}
            className="absolute top-0.5 right-0.5 size-7"
            onClick={() => {
              search("");
              input.current?.focus();
            }}
          />
        )}
      </div>
      <IconButton
        size="sm"
        variant="secondary"
        label={t`Search`}
        icon={<Search />}
        onClick={submit}
      />
    </search>
  );
}
