import { msg } from "@lingui/core/macro";
import { Trans, useLingui } from "@lingui/react/macro";
import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { api } from "../../api-queries.ts";
import { findSecret } from "../../components/keys/find-secret.ts";
import { isWholeKey } from "../../components/keys/whole-secret.ts";
import { SearchBox } from "../../components/lists/search-box.tsx";
import { useUrlText } from "../../components/texts/url-view.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/form/input.tsx";

/** `subjects` go by the first part of actions. */
const subjects = {
  user: msg`Users`,
  token: msg`Tokens`,
  channel: msg`Channels`,
  redemption: msg`Redemptions`,
  option: msg`Settings`,
  budget: msg`Budgets`,
  model_price: msg`Prices`,
  virtual_model: msg`Virtual models`,
  mcp_server: msg`MCP servers`,
  management_key: msg`Management keys`,
  destination: msg`Destinations`,
  session: msg`Sessions`,
  log: msg`Logs`,
} as const;

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
        {Object.entries(subjects).map(([subject, label]) => (
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
