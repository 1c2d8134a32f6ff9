import { useLingui } from "@lingui/react/macro";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { searchRedemptions } from "@tollgate/contract/accounts/redemptions.ts";
import { searchTokens } from "@tollgate/contract/accounts/tokens.ts";
import { searchUsers } from "@tollgate/contract/accounts/user-admin.ts";
import { listAvailableModels } from "@tollgate/contract/accounts/users.ts";
import { searchChannels } from "@tollgate/contract/catalogue/channels.ts";
import { api, queryClient } from "../api-queries.ts";
import { readEntityRef, readShortEntityRef } from "../compat/entity-ids.ts";
import { wholeCode, wholeKey } from "../components/keys/whole-secret.ts";
import { useDebounced } from "../components/use-debounced.ts";
import { isAdmin, useSession } from "../session.ts";
import type { PaletteCommand } from "./match-commands.ts";

const debounceMs = 250;
const searchLengthMin = 2;
/** `foundMax` is that of each kind: the palette leads to one thing, the lists show all of them. */
const foundMax = 5;

type PaletteFinds = {
  commands: PaletteCommand[];
  isSearching: boolean;
  /** A list that did not answer. */
  isIncomplete: boolean;
};

const nothing: PaletteFinds = { commands: [], isSearching: false, isIncomplete: false };

/**
 * Things whose name or id has the typed text, found by the searches of their lists. A whole key or
 * code is sent nowhere.
 */
export function usePaletteFinds(typed: string): PaletteFinds {
  const { t } = useLingui();
  const { user } = useSession();
  const navigate = useNavigate();
  const paths: Record<string, unknown> = useRouter().routesByPath;
  const text = typed.trim();
  const settled = useDebounced(text, debounceMs);
  const isSearchable = (one: string) =>
    one.length >= searchLengthMin &&
    wholeKey.secretIn(one) === undefined &&
    wholeCode.secretIn(one) === undefined;
  const query = { keyword: settled, p: 0, size: foundMax };
  const enabled = isSearchable(settled);
  const forAdmins = enabled && isAdmin(user);
  const options = { staleTime: 30_000 };
  // Named, because the header has no query client around it.
  const tokens = useQuery(
    { ...api.query(searchTokens, { query }), ...options, enabled },
    queryClient,
  );
  const channels = useQuery(
    { ...api.query(searchChannels, { query }), ...options, enabled: forAdmins },
    queryClient,
  );
  const users = useQuery(
    { ...api.query(searchUsers, { query }), ...options, enabled: forAdmins },
    queryClient,
  );
  const codes = useQuery(
    { ...api.query(searchRedemptions, { query }), ...options, enabled: forAdmins },
    queryClient,
  );
  const models = useQuery({ ...api.query(listAvailableModels), ...options, enabled }, queryClient);
  if (!isSearchable(text)) return nothing;

  const all = [tokens, channels, users, codes, models];
  const isSearching = settled !== text || all.some(({ isFetching }) => isFetching);
  const isIncomplete = all.some(({ isError }) => isError);
  const goTo =
    (to: string, search: object = {}) =>
    () =>
      void navigate({ to, search: search as never });
  const toLogs: PaletteCommand = {
    id: "search-logs",
    group: t`Logs`,
    text: t`Search the logs for ${text}`,
    run: goTo("/logs", { keyword: text }),
  };
  const logs = "/logs" in paths ? [toLogs] : [];
  if (settled !== text) return { commands: logs, isSearching, isIncomplete };

  const words = text.toLowerCase().split(/\s+/);
  const foundModels = (models.data?.data ?? []).filter((name) =>
    words.every((word) => name.toLowerCase().includes(word)),
  );
  const commands = [
    ...(channels.data?.data ?? []).slice(0, foundMax).map((channel) => ({
      id: `channel-${readEntityRef(channel)}`,
      group: t`Channels`,
      text: channel.name,
      detail: `#${readShortEntityRef(channel)}`,
      run: goTo(`/channels/${readEntityRef(channel)}`),
    })),
    ...(users.data?.data ?? []).slice(0, foundMax).map((found) => ({
      id: `user-${readEntityRef(found)}`,
      group: t`Users`,
      text: found.username,
      detail: [
        found.display_name === found.username ? "" : found.display_name,
        `#${readShortEntityRef(found)}`,
      ]
        .filter(Boolean)
        .join(" · "),
      run: goTo(`/users/${readEntityRef(found)}`),
    })),
    ...(tokens.data?.data ?? []).slice(0, foundMax).map((token) => ({
      id: `token-${readEntityRef(token)}`,
      group: t`Tokens`,
      text: token.name,
      detail: `#${readShortEntityRef(token)}`,
      run: goTo(`/tokens/${readEntityRef(token)}`),
    })),
    ...foundModels.slice(0, foundMax).map((name) => ({
      id: `model-${name}`,
      group: t`Models`,
      text: name,
      run: goTo("/models", { keyword: name }),
    })),
    ...(codes.data?.data ?? []).slice(0, foundMax).map((code) => ({
      id: `code-${readEntityRef(code)}`,
      group: t`Redemptions`,
      text: code.name,
      detail: `#${readShortEntityRef(code)}`,
      run: goTo(`/redemptions/edit/${readEntityRef(code)}`),
    })),
    ...logs,
  ];
  return { commands, isSearching, isIncomplete };
}
