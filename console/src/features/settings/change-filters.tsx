import { Trans, useLingui } from "@lingui/react/macro";
import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { api } from "../../api-queries.ts";
import { filteredSubjects } from "../../components/changes/change-subjects.ts";
import { findSecret } from "../../components/keys/find-secret.ts";
import { isWholeKey } from "../../components/keys/whole-secret.ts";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/form/input.tsx";

const suggestionsMax = 10;

/**
 * `useChangeFilters` gives what the record of changes is narrowed to, in the URL: a kind of thing,
 * a person, and the one thing that a link names.
 */
export function useChangeFilters() {
  const [subject, setSubject] = useUrlText("subject");
  const [actor, setActor] = useUrlText("actor");
  const [target] = useUrlText("target");
  const query = { subject, actor, target };
  return {
    query,
    isFiltered: Object.values(query).some((value) => value !== ""),
    setSubject,
    setActor,
  };
}

export function ChangeFilters({ onClear }: { onClear: () => void }) {
  const { t } = useLingui();
  const { query, isFiltered, setSubject, setActor } = useChangeFilters();
  return (
    <>
      <Select
        controlSize="sm"
        className="w-auto!"
        aria-label={t`Kind`}
        value={query.subject}
        onChange={(event) => setSubject(event.target.value)}
      >
        <option value="">{t`All changes`}</option>
        {filteredSubjects.map(({ subject, label }) => (
          <option key={subject} value={subject}>
            {t(label)}
          </option>
        ))}
      </Select>
      <SearchBox
        label={t`Changed by`}
        placeholder={t`Changed by`}
        searched={query.actor}
        onSearch={(text) =>
          isWholeKey(text) ? void findSecret(undefined, text, () => {}) : setActor(text)
        }
        suggestionsKey="change actors"
        suggest={suggestActors}
        isSecret={isWholeKey}
      />
      {isFiltered && (
        <Button variant="ghost" size="sm" onClick={onClear}>
          <Trans>Clear filters</Trans>
        </Button>
      )}
    </>
  );
}

async function suggestActors(keyword: string, signal: AbortSignal) {
  const query = { keyword, size: suggestionsMax, sort: "username", order: "asc" } as const;
  const { data } = await api.call(searchUsers, { query, signal });
  return data.map(({ username, display_name }) => ({
    id: username,
    text: username,
    detail: display_name,
  }));
}
