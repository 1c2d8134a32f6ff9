import { useLingui } from "@lingui/react/macro";
import { Monitor, Moon, Sun } from "lucide-react";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuChoice } from "../ui/menu/menu.tsx";
import { chooseTheme, type ThemeChoice, useThemeChoice } from "./theme.ts";

export function ThemeMenu() {
  const { t } = useLingui();
  const choice = useThemeChoice();
  const options: { value: ThemeChoice; label: string; icon: React.ReactNode }[] = [
    { value: "light", label: t`Light`, icon: <Sun /> },
    { value: "dark", label: t`Dark`, icon: <Moon /> },
    { value: "system", label: t({ message: "System", context: "theme" }), icon: <Monitor /> },
  ];
  const icon = options.find((option) => option.value === choice)?.icon;
  return (
    <Menu
      trigger={<IconButton label={t`Theme`} icon={icon} tooltip={false} title={t`Theme`} />}
      label={t`Theme`}
    >
      <MenuChoice label={t`Theme`} value={choice} onChange={chooseTheme} options={options} />
    </Menu>
  );
}
