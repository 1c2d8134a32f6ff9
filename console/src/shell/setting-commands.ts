/** Every section and field of the settings, for the palette of root. Loaded with it. */
import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import { operationSections } from "../components/settings/operation-sections.ts";
import type { OptionSection } from "../components/settings/option-sections.ts";
import { otherSections } from "../components/settings/other-sections.ts";
import { signInSections } from "../components/settings/sign-in-sections.ts";
import { systemSections } from "../components/settings/system-sections.ts";
import type { PaletteCommand } from "./match-commands.ts";

type SettingsTab = { to: string; title: MessageDescriptor; sections: readonly OptionSection[] };

const tabs: readonly SettingsTab[] = [
  { to: "/settings/operation", title: msg`Operation`, sections: operationSections },
  { to: "/settings/system", title: msg`System`, sections: systemSections },
  { to: "/settings/sign-in", title: msg`Sign-in`, sections: signInSections },
  { to: "/settings/other", title: msg`Other`, sections: otherSections },
];

/** `parts` of the tabs are no options, and have addresses of their own. */
const parts: readonly { title: MessageDescriptor; of: MessageDescriptor; address: string }[] = [
  { title: msg`Import`, of: msg`Other`, address: "/settings/other/import" },
  { title: msg`Dual run`, of: msg`Other`, address: "/settings/other#settings-dual-run" },
  { title: msg`Updates`, of: msg`Other`, address: "/settings/other#settings-updates" },
  { title: msg`Add provider`, of: msg`Sign-in`, address: "/settings/sign-in/add" },
];

/** `listSettings` names a field by its label, and finds it by its help and its key too. */
export function listSettings(
  t: (message: MessageDescriptor) => string,
  group: string,
  open: (to: string, hash: string) => void,
): PaletteCommand[] {
  const ofTabs = parts.map(({ title, of, address }): PaletteCommand => {
    const [to = "", hash = ""] = address.split("#");
    const [id, text, detail] = [`settings-part-${address}`, t(title), t(of)];
    return { id, group, text, detail, isTypedOnly: true, run: () => open(to, hash) };
  });
  const ofOptions = tabs.flatMap(({ to, title, sections }) =>
    sections.flatMap((section) => {
      const place = `${t(title)} · ${t(section.title)}`;
      const [first] = section.fields;
      const whole: PaletteCommand = {
        id: `settings-${section.id}`,
        group,
        text: t(section.title),
        detail: t(title),
        isTypedOnly: true,
        run: () => open(to, first?.key ?? ""),
      };
      const fields = section.fields.map(
        ({ key, label, help }): PaletteCommand => ({
          id: `setting-${key}`,
          group,
          text: t(label),
          detail: place,
          words: `${key}, ${help === undefined ? "" : t(help)}`,
          isTypedOnly: true,
          run: () => open(to, key),
        }),
      );
      return [whole, ...fields];
    }),
  );
  return [...ofTabs, ...ofOptions];
}
