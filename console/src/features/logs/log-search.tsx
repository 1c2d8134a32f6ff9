import { useLingui } from "@lingui/react/macro";
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";
import { Input } from "../../ui/form/input.tsx";
import { IconButton } from "../../ui/icon-button.tsx";

/** Searches the content. Submitting an empty text shows all entries again. */
export function LogSearch({
  searched,
  onSearch,
}: {
  searched: string;
  onSearch: (keyword: string) => void;
}) {
  const { t } = useLingui();
  const [typed, setTyped] = useState(searched);
  const [before, setBefore] = useState(searched);
  // The URL changed elsewhere: by Back or by Clear filters.
  if (before !== searched) {
    setBefore(searched);
    setTyped(searched);
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSearch(typed.trim());
  };
  return (
    <search className="w-full sm:w-72">
      <form onSubmit={submit} className="flex gap-1">
        <Input
          type="search"
          controlSize="sm"
          aria-label={t`Search logs`}
          placeholder={t`Search in content...`}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <IconButton
          type="submit"
          size="sm"
          variant="secondary"
          label={t`Search`}
          icon={<Search />}
        />
      </form>
    </search>
  );
}
