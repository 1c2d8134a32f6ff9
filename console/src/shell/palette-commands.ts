import { useLingui } from "@lingui/react/macro";
import { useNavigate } from "@tanstack/react-router";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { chooseLanguage, languages } from "../i18n.ts";
import { isAdmin, isRoot, useSession } from "../session.ts";
import { useLogout } from "./logout.ts";
import type { PaletteCommand } from "./match-commands.ts";
import { pageSynonyms } from "./page-synonyms.ts";
import { findPage, writeAddress } from "./page-table.ts";
import { listSettings } from "./setting-commands.ts";
import { showShortcuts } from "./shortcuts.ts";
import { chooseTheme } from "./theme.ts";
import { usePages } from "./use-navigation.ts";

/** The pages and the most common actions that the user's role allows. */
export function useCommands(): PaletteCommand[] {
  const { t } = useLingui();
  const { user } = useSession();
  const navigate = useNavigate();
  const logout = useLogout();
  const visible = usePages();

  const pages = t`Pages`;
  const actions = t`Actions`;
  const appearance = t`Appearance`;
  const goTo = (path: string) => () => void navigate({ to: path });
  const creating = [
    { path: "/tokens/add", text: t`Add Token` },
    ...(isAdmin(user)
      ? [
          { path: "/channels/add", text: t`Add Channel` },
          { path: "/users/add", text: t`Add User` },
          { path: "/redemptions/add", text: t`Generate Codes` },
        ]
      : []),
  ];
  const found = visible
    .filter(({ isOfThing }) => isOfThing !== true)
    .map(({ path, title, parent }): PaletteCommand => {
      const above = parent === undefined ? undefined : findPage(parent);
      const synonyms = pageSynonyms[path];
      return {
        id: `page${path}`,
        group: pages,
        text: t(title),
        ...(above && { detail: t(above.title), isTypedOnly: true }),
        ...(synonyms && { words: t(synonyms) }),
        run: goTo(writeAddress(path)),
      };
    });
  const languageNames = Object.entries(languages) as [LanguageCode, string][];
  return [
    ...found,
    ...(isRoot(user)
      ? listSettings(t, t`Settings`, (to, hash) => void navigate({ to, hash }))
      : []),
    ...creating.map(({ path, text }) => ({
      id: `add${path}`,
      group: actions,
      text,
      run: goTo(path),
    })),
    { id: "shortcuts", group: actions, text: t`Keyboard shortcuts`, run: showShortcuts },
    { id: "logout", group: actions, text: t`Logout`, run: () => void logout() },
    { id: "light", group: appearance, text: t`Light theme`, run: () => chooseTheme("light") },
    { id: "dark", group: appearance, text: t`Dark theme`, run: () => chooseTheme("dark") },
    {
      id: "system",
      group: appearance,
      text: t`Theme of the system`,
      run: () => chooseTheme("system"),
    },
    ...languageNames.map(([language, name]) => ({
      id: `language-${language}`,
      group: appearance,
      text: t`Language: ${name}`,
      run: () => void chooseLanguage(language),
    })),
  ];
}
