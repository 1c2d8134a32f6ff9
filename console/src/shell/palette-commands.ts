import { useLingui } from "@lingui/react/macro";
import { useNavigate, useRouter } from "@tanstack/react-router";
import type { LanguageCode } from "@tollgate/contract/languages.ts";
import { chooseLanguage, languages } from "../i18n.ts";
import { isAdmin, useSession } from "../session.ts";
import { useLogout } from "./logout.ts";
import type { PaletteCommand } from "./match-commands.ts";
import { showShortcuts } from "./shortcuts.ts";
import { chooseTheme } from "./theme.ts";
import { useNavigation } from "./use-navigation.ts";

/** The pages and the most common actions that the user's role allows. */
export function useCommands(): PaletteCommand[] {
  const { t } = useLingui();
  const { user } = useSession();
  const paths: Record<string, unknown> = useRouter().routesByPath;
  const navigate = useNavigate();
  const logout = useLogout();
  const entries = useNavigation();

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
    { path: "/settings", text: t`Profile` },
  ].filter(({ path }) => path in paths);
  const languageNames = Object.entries(languages) as [LanguageCode, string][];
  return [
    ...entries.map(({ path, label }) => ({ id: `page${path}`, group: pages, text: t(label), run: goTo(path) })),
    ...creating.map(({ path, text }) => ({ id: `add${path}`, group: actions, text, run: goTo(path) })),
    { id: "shortcuts", group: actions, text: t`Keyboard shortcuts`, run: showShortcuts },
    { id: "logout", group: actions, text: t`Logout`, run: () => void logout() },
    { id: "light", group: appearance, text: t`Light theme`, run: () => chooseTheme("light") },
    { id: "dark", group: appearance, text: t`Dark theme`, run: () => chooseTheme("dark") },
    { id: "system", group: appearance, text: t`Theme of the system`, run: () => chooseTheme("system") },
    ...languageNames.map(([language, name]) => ({
      id: `language-${language}`,
      group: appearance,
      text: t`Language: ${name}`,
      run: () => void chooseLanguage(language),
    })),
  ];
}
