import { useLingui } from "@lingui/react/macro";
import type { LanguageCode } from "@tollgate/contract/site/languages.ts";
import { Languages } from "lucide-react";
import { chooseLanguage, languages } from "../i18n.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu, MenuChoice } from "../ui/menu/menu.tsx";

const options = (Object.keys(languages) as LanguageCode[]).map((value) => ({
  value,
  label: languages[value],
}));

export function LanguageMenu() {
  const { t, i18n } = useLingui();
  const label = t`Language`;
  return (
    <Menu
      trigger={<IconButton label={label} icon={<Languages />} tooltip={false} title={label} />}
      label={label}
    >
      <MenuChoice
        label={label}
        value={i18n.locale as LanguageCode}
        onChange={(language) => void chooseLanguage(language)}
        options={options}
      />
    </Menu>
  );
}
